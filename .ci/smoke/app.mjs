// Runs in an empty project that has installed the packed tarball: every entry loads, and a tool can be called.
import assert from 'node:assert/strict'
import { Container } from 'inversify'
import { JsonSchema, SchemaProperty, ToolDefinition, ToolRuntime, toolRuntimeModule } from 'toolwire'
import { LoggingInterceptor, RateLimitInterceptor } from 'toolwire/interceptors'
import { McpToolBridge } from 'toolwire/mcp'

const greet = ToolDefinition.builder()
  .name('greet')
  .description('Greets somebody')
  .parameterSchema(
    JsonSchema.builder().addProperty('name', SchemaProperty.STRING).addRequired('name').build(),
  )
  .executor(({ args }) => `Hello, ${args.name}`)
  .build()

const container = new Container()
container.load(toolRuntimeModule())
container.bind(ToolDefinition).toConstantValue(greet)
const runtime = container.get(ToolRuntime)
await runtime.start()

const right = await runtime.call('greet', { name: 'Ada' })
assert.equal(right.ok && right.value, 'Hello, Ada')
const wrong = await runtime.call('greet', { name: true })
assert.equal(!wrong.ok && wrong.error.code, 'INVALID_ARGUMENTS')
for (const exported of [LoggingInterceptor, RateLimitInterceptor, McpToolBridge]) {
  assert.equal(typeof exported, 'function')
}

await runtime.close()
console.log('The packed package works.')
