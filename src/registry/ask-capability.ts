/** What a client must be able to do to be asked: the client capabilities of MCP. */
export type AskCapability = 'elicitation' | 'elicitation.url' | 'sampling' | 'roots'
