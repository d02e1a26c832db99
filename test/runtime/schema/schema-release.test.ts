import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it } from 'vitest'
import { JsonSchema } from '../../../src/registry/json-schema.js'
import { SchemaProperty } from '../../../src/registry/schema-property.js'
import { ToolDefinition } from '../../../src/registry/tool-definition.js'
import { SchemaValidator } from '../../../src/runtime/schema/schema-validator.js'
import { started } from '../runtime-fixture.js'

const { compile } = SchemaValidator.prototype
const compiled: WeakRef<object>[] = []

afterEach(() => {
  SchemaValidator.prototype.compile = compile
})

it('drops the validators of a tool that is unregistered or replaced, although its definition is kept', async () => {
  SchemaValidator.prototype.compile = function (schema, { applyDefaults = false, ...others } = {}) {
    // The validator itself: what the runtime gets may be a function around it.
    compiled.push(new WeakRef(compile.call(this, schema, { applyDefaults })))
    return compile.call(this, schema, { applyDefaults, ...others })
  }
  const definitions = Array.from({ length: 20 }, (_, i) => tool(`tool_${i}`))
  const { runtime } = await started({ tools: definitions })
  for (const { name } of definitions) expect((await runtime.call(name, { city: [] })).ok).toBe(false)
  await collectGarbage()
  expect(compiled.every((validator) => validator.deref() !== undefined)).toBe(true)

  for (const [i, { name }] of definitions.entries()) {
    if (i % 2 === 0) await runtime.registry.unregister(name)
    else runtime.registry.replace(tool(name))
  }
  await collectGarbage()
  expect(compiled.filter((validator) => validator.deref() !== undefined)).toEqual([])
  // All of them are still in use here, so that nothing was dropped with them.
  expect([definitions.length, runtime.registry.list().length]).toEqual([20, 10])
  expect(compiled.length).toBeGreaterThanOrEqual(40)
})

function tool(name: string): ToolDefinition {
  return ToolDefinition.builder()
    .name(name)
    .description('Takes a city')
    .parameterSchema(JsonSchema.object({ city: SchemaProperty.STRING }))
    .outputSchema({ type: 'string' })
    .executor(({ args }) => String(args.city))
    .build()
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  // A WeakRef keeps its target until the job that made or read it has ended.
  for (let i = 0; i < 5; i++) {
    await new Promise(setImmediate)
    gc()
  }
}
