// OpenAI's Agents SDK. Its tools are called as its runner calls them for a model, with no model.
import {
  Agent,
  getAllMcpTools,
  MCPServerStdio,
  MCPServerStreamableHttp,
  RunContext,
  setTracingDisabled,
} from '@openai/agents'
import { report } from './contract.mjs'

setTracingDisabled(true)

await report(async ({ url, command, args }) => {
  // By itself it waits 5 seconds for a server on stdio, which a busy machine may need to start the example.
  const common = { name: 'weather', clientSessionTimeoutSeconds: 60 }
  const server =
    url === undefined
      ? new MCPServerStdio({ ...common, command, args })
      : new MCPServerStreamableHttp({ ...common, url })
  await server.connect()
  const agent = new Agent({ name: 'traveller', mcpServers: [server] })
  const runContext = new RunContext({})
  let tools
  return {
    async list() {
      tools = await getAllMcpTools({ mcpServers: [server], runContext, agent })
      return tools.map((tool) => tool.name)
    },
    async call(city) {
      const tool = tools.find((each) => each.name === 'get_weather')
      const output = await tool.invoke(runContext, JSON.stringify({ city }))
      return typeof output === 'string' ? output : output.text
    },
    close: () => server.close(),
  }
})
