// LangChain checks arguments against the published schema before it sends them. `verboseParsingErrors` is its switch for
// telling the model what was wrong with them.
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { report } from './contract.mjs'

await report(async ({ url, command, args }) => {
  const weather = url === undefined ? { transport: 'stdio', command, args } : { transport: 'http', url }
  const client = new MultiServerMCPClient({ mcpServers: { weather } })
  let tools
  return {
    async list() {
      tools = await client.getTools()
      return tools.map(({ name }) => name)
    },
    async call(city) {
      const tool = tools.find(({ name }) => name === 'get_weather')
      tool.verboseParsingErrors = true
      try {
        return await tool.invoke({ city })
      } catch (error) {
        return error.message // what its agents hand to the model when a tool throws
      }
    },
    close: () => client.close(),
  }
})
