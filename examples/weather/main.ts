import 'reflect-metadata'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { Container } from 'inversify'
import { pino } from 'pino'
import { Logger, ToolDefinitionProvider, ToolInterceptor, ToolRuntime, toolRuntimeModule } from 'toolwire'
import { LoggingInterceptor } from 'toolwire/interceptors'
import { McpToolBridge } from 'toolwire/mcp'
import { HotelService } from './hotel-service.js'
import { HotelToolProvider } from './hotel-tool-provider.js'
import { WeatherService } from './weather-service.js'
import { WeatherToolProvider } from './weather-tool-provider.js'

// Logs go to stderr: over stdio, stdout belongs to the protocol.
const logger = pino({ level: process.env.LOG_LEVEL ?? 'info' }, pino.destination({ dest: 2, sync: true }))

const container = new Container()
container.load(toolRuntimeModule({ rateLimit: { defaultPerMinute: 60 } }))
container.bind(Logger).toConstantValue(logger)
container.bind(WeatherService).toSelf().inSingletonScope()
container.bind(HotelService).toSelf().inSingletonScope()
container.bind(ToolDefinitionProvider).to(WeatherToolProvider).inSingletonScope()
container.bind(ToolDefinitionProvider).to(HotelToolProvider).inSingletonScope()
container.bind(ToolInterceptor).toConstantValue(new LoggingInterceptor({ logger }))

const runtime = container.get(ToolRuntime)
const { HOST = '127.0.0.1', PORT = '3000' } = process.env
const bridge = new McpToolBridge(runtime, {
  name: 'weather',
  version: '1.0.0',
  http: { allowedHosts: [nameOf(HOST), hostname()] },
})

if (process.argv.includes('--stdio')) await serveStdio()
else await serveHttp(Number(PORT), HOST)

async function serveStdio(): Promise<void> {
  endOnSignals()
  await bridge.serveStdio() // starts the runtime; resolves when the client has closed stdin and has its answers
  await runtime.close()
}

async function serveHttp(port: number, host: string): Promise<void> {
  await runtime.start()
  const handle = bridge.nodeHandler()
  const server = createServer((req, res) => {
    if (req.url?.split('?')[0] === '/mcp') handle(req, res)
    else res.writeHead(404).end()
  })
  endOnSignals(() => server.close())
  if (!Number.isInteger(port)) throw new RangeError(`PORT must be a number (got ${PORT})`)
  server.on('error', (error) => {
    console.error(`Cannot serve on ${host}:${port}: ${error.message}`)
    process.exitCode = 1
  })
  server.listen(port, host, () =>
    announce(`http://${nameOf(host)}:${(server.address() as AddressInfo).port}/mcp`),
  )
}

/** A name that a client on this machine can use. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function announce(url: string): void {
  console.log(`Serving MCP on ${url}`)
  for (const { name, description } of runtime.registry.list()) console.log(`  ${name}: ${description}`)
  console.log('\nPaste into the configuration of an MCP client:')
  console.log(JSON.stringify({ mcpServers: { weather: { type: 'http', url } } }))
}

/** On SIGTERM and SIGINT: no new calls, the running ones are answered within the drain time, then everything ends. */
function endOnSignals(stopListening: () => void = () => undefined): void {
  const end = async () => {
    await runtime.close()
    await bridge.close()
    stopListening()
  }
  process.once('SIGTERM', end).once('SIGINT', end)
}
