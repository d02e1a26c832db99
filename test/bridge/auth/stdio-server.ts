import { McpToolBridge } from '../../../src/bridge/index.js'
import { Principal } from '../../../src/registry/principal.js'
import { started } from '../../runtime/runtime-fixture.js'
import { fixtureTools } from '../fixtures/tools.js'

const { runtime } = await started({ tools: fixtureTools() })
const bridge = new McpToolBridge(runtime, { name: 'fixture', version: '1' })
await bridge.serveStdio({ principal: new Principal({ subject: 'ada', tenant: 'acme' }) })
await bridge.close()
await runtime.close()
