import type { Logger } from '../interceptors/logger.js'

/**
 * Logs what an SDK reports of a connection, without what a client sent: an SDK quotes headers and whole messages in its
 * errors, and says what kind of fault it is before the first quotation.
 */
export function connectionErrorLog(logger: Logger): (error: Error) => void {
  return ({ name, message }) => {
    const reason = /^[^:'"`{[]*/.exec(message)?.[0].trim()
    logger.debug({ error: name, reason }, 'MCP connection reported an error')
  }
}
