import 'reflect-metadata'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Container } from 'inversify'
import { McpToolBridge } from '../../src/bridge/index.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { PromptDefinitionProvider } from '../../src/registry/prompt-definition-provider.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { ResourceDefinitionProvider } from '../../src/registry/resource-definition-provider.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { toolRuntimeModule } from '../../src/runtime/tool-runtime-module.js'
import { tool } from '../runtime/runtime-fixture.js'

/** An application over stdio that prints wherever it can, and holds what would keep its process alive. */

class LoudProvider implements ToolDefinitionProvider, ResourceDefinitionProvider, PromptDefinitionProvider {
  readonly name: string

  constructor(kind: string) {
    this.name = `Loud ${kind}`
    console.info(`loaded ${kind}`)
  }

  provide(): never[] {
    process.stdout.write(`provided for ${this.name}\n`)
    return DEFINITIONS[this.name] as never[]
  }
}

function shout(what: string): string {
  console.log('hi from', what)
  console.table([{ what }])
  process.stdout.write(`x${what}`)
  process.stdout.write(new TextEncoder().encode('bytes\n'))
  process.stdout.write('later\n', 'utf8', () => console.log('written'))
  console.error(`error from ${what}`)
  setTimeout(() => console.log('late', what), 5)
  return what
}

const DEFINITIONS: Readonly<Record<string, readonly object[]>> = {
  'Loud tools': [
    tool('loud', ({ args }) => shout(String(args.as))),
    tool('wait', ({ args }) => new Promise((resolve) => setTimeout(resolve, Number(args.ms), 'waited'))),
  ],
  'Loud resources': [
    ResourceDefinition.builder()
      .name('loud')
      .uri('loud://here')
      .reader(() => shout('a resource'))
      .build(),
  ],
  'Loud prompts': [
    PromptDefinition.builder()
      .name('loud')
      .template(() => shout('a prompt'))
      .build(),
  ],
}

const container = new Container()
container.load(toolRuntimeModule())
if (!process.argv.includes('--empty')) {
  container.bind(ToolDefinitionProvider).toDynamicValue(() => new LoudProvider('tools'))
  container.bind(ResourceDefinitionProvider).toDynamicValue(() => new LoudProvider('resources'))
  container.bind(PromptDefinitionProvider).toDynamicValue(() => new LoudProvider('prompts'))
}
const runtime = container.get(ToolRuntime)
const bridge = new McpToolBridge(runtime, { name: 'app', version: '1' })

// From here on stdout belongs to the protocol, so that what the providers print at their start is off it as well.
const served = bridge.serveStdio()
await runtime.start()
const ticking = setInterval(() => undefined, 1_000)
const upstream = process.argv.includes('--upstream') ? await upstreamClient() : undefined

await served
clearInterval(ticking)
await upstream?.close()
await bridge.close()
await runtime.close()
process.stderr.write('shut down\n')

async function upstreamClient(): Promise<Client> {
  const answerer = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'up', version: '1' } }
      if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })`
  const transport = new StdioClientTransport({ command: process.execPath, args: ['-e', answerer] })
  const client = new Client({ name: 'app', version: '1' })
  await client.connect(transport)
  process.stderr.write(`upstream ${transport.pid}\n`)
  return client
}
