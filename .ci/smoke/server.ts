// What a service writes: the types of both doors have to fit each other as they are packed.
import { Container } from 'inversify'
import { Principal, ToolRegistry, ToolRuntime, toolRuntimeModule } from 'toolwire'
import { LoggingInterceptor, stderrLogger } from 'toolwire/interceptors'
import { jwtVerifier, McpToolBridge } from 'toolwire/mcp'

const container = new Container()
container.load(
  toolRuntimeModule({ visibility: (_target, principal) => principal?.hasScope('read') === true }),
)
export const runtime = container.get(ToolRuntime)
export const bridge = new McpToolBridge(runtime, {
  name: 'service',
  version: '1.0.0',
  expose: { tags: ['public'] },
  http: {
    auth: {
      resource: 'https://api.example.com/mcp',
      authorizationServers: ['https://login.example.com'],
      verifier: jwtVerifier({
        issuer: 'https://login.example.com',
        audience: 'https://api.example.com/mcp',
        jwksUri: 'https://login.example.com/jwks.json',
      }),
    },
  },
})
export const registry = new ToolRegistry({ names: 'mcp' })
export const logging = new LoggingInterceptor({ logger: stderrLogger() })
export const ada = new Principal({ subject: 'ada', scopes: ['read'] })
