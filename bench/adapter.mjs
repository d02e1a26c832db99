// Toolwire as a row of the side-by-side tool layer benchmark; it runs the built package (`npm run build` first).
import 'reflect-metadata'
import { Container } from 'inversify'
import { ToolDefinition, ToolInterceptor, ToolRuntime, toolRuntimeModule } from '../dist/index.js'

export const meta = {
  label: 'toolwire',
  package: 'toolwire',
  version: '0.1.0',
  validates: true,
  workloads: ['W1', 'W2', 'W3', 'W4', 'W5'],
  interceptors: { W1: 'aroundExecute', W2: 'aroundExecute' },
  http: { stateless: ['node'], session: ['node'] },
  eras: ['legacy', 'modern'],
}

export async function create({ tools, interceptors = 0, intercepted, kit }) {
  const container = new Container()
  // The benchmark wants text refused where a number belongs. Valid calls pass the same steps either way.
  container.load(toolRuntimeModule({ logLevel: 'error', arguments: { repair: false, coercion: false } }))
  for (let i = 0; i < interceptors; i++) {
    container.bind(ToolInterceptor).toConstantValue({ aroundExecute: kit.noopInterceptor(intercepted) })
  }
  const runtime = container.get(ToolRuntime)
  await runtime.start()
  runtime.registry.registerAll(tools.map(definitionOf))

  const bridges = []
  async function bridge(http) {
    const { McpToolBridge } = await import('../dist/bridge/index.js')
    const made = new McpToolBridge(runtime, { name: 'bench', version: '0.1.0', http })
    bridges.push(made)
    return made
  }

  return {
    call: (name, args) => runtime.call(name, args),
    unwrap(result) {
      if (!result.ok) throw result.error
      return result.value
    },
    add: (tool) => runtime.registry.register(definitionOf(tool)),
    remove: (name) => runtime.registry.unregister(name),
    connect: async (transport, options) => (await bridge()).connect(transport, options),
    async listenHttp({ mode }) {
      const { createServer } = await import('node:http')
      const made = await bridge({ sessions: mode === 'session' })
      return kit.listenHttp(createServer(made.nodeHandler()))
    },
    serveStdio: async () => (await bridge()).serveStdio(),
    async close() {
      await Promise.all(bridges.map((made) => made.close()))
      await runtime.close()
    },
  }
}

function definitionOf(tool) {
  return ToolDefinition.builder()
    .name(tool.name)
    .description(tool.description)
    .parameterSchema(tool.jsonSchema())
    .annotations({ readOnlyHint: true })
    .executor(({ args }) => tool.handler(args))
    .build()
}
