import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpToolBridge } from 'toolwire/mcp'
import { conformanceRuntime } from './application.js'
import { CLOSE_STREAM_AFTER_MS } from './close-stream-after.js'

const port = Number(process.env.PORT ?? 3901)
if (!Number.isInteger(port)) throw new RangeError(`PORT must be a number (got ${process.env.PORT})`)

const runtime = conformanceRuntime()
const { problems } = await runtime.start()
if (problems.length > 0) throw new Error('Not everything of the fixture could be registered: see the log')

const bridge = new McpToolBridge(runtime, {
  name: 'toolwire-conformance',
  version: '1.0.0',
  http: { resumability: { closeStreamAfterMs: CLOSE_STREAM_AFTER_MS, retryMs: 100 } },
})
const handle = bridge.nodeHandler()
const server = createServer((req, res) => {
  if (req.url?.split('?')[0] === '/mcp') handle(req, res)
  else res.writeHead(404).end()
})
server.listen(port, '127.0.0.1', () => {
  console.log(`Serving MCP on http://localhost:${(server.address() as AddressInfo).port}/mcp`)
})

const end = async () => {
  server.close()
  await runtime.close()
  await bridge.close()
}
process.once('SIGTERM', end).once('SIGINT', end)
