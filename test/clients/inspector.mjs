// The command line of the MCP Inspector. It connects anew for each command; its option `--protocol-era` says in which era.
import { runCommand } from './command-line.mjs'
import { report, textOf } from './contract.mjs'

const TOOL_FAILED = 5

await report(async ({ url, command, args }, options, signal) => {
  const server = url === undefined ? ['--', command, ...args] : ['--transport', 'http', '--', url]
  const inspect = async (...words) => {
    const line = ['--cli', '--quiet', ...options, ...words, ...server]
    return JSON.parse(await runCommand('mcp-inspector', line, { signal, exitCodes: [TOOL_FAILED] }))
  }
  return {
    list: async () => (await inspect('--method', 'tools/list')).tools.map(({ name }) => name),
    call: async (city) =>
      textOf(
        await inspect('--method', 'tools/call', '--tool-name', 'get_weather', '--tool-arg', `city=${city}`),
      ),
    close: async () => undefined,
  }
})
