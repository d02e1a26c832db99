// Vercel's AI SDK has protocol code of its own. Major 1 knows the 2025 era, major 2 asks for the 2026 era first.
import { report, textOf } from './contract.mjs'

const majors = {
  1: () => Promise.all([import('@ai-sdk/mcp'), import('@ai-sdk/mcp/mcp-stdio')]),
  2: () => Promise.all([import('@ai-sdk/mcp-2'), import('@ai-sdk/mcp-2/mcp-stdio')]),
}

await report(async ({ url, command, args }, [major]) => {
  const [{ createMCPClient }, { Experimental_StdioMCPTransport: Stdio }] = await majors[major]()
  const transport = url === undefined ? patient(new Stdio({ command, args })) : { type: 'http', url }
  const client = await createMCPClient({ transport })
  let tools
  return {
    async list() {
      tools = await client.tools()
      return Object.keys(tools)
    },
    call: async (city) =>
      textOf(await tools.get_weather.execute({ city }, { toolCallId: city, messages: [] })),
    close: () => client.close(),
  }
})

/** On stdio major 2 falls back to the 2025 era after a second of silence, and the example may take longer to start. */
function patient(transport) {
  return Object.assign(transport, { waitsForProtocolVersionDiscovery: true })
}
