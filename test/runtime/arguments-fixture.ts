import type { ArgumentSteps } from '../../src/registry/argument-steps.js'
import type { JsonSchemaSource } from '../../src/registry/json-schema.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { started } from './runtime-fixture.js'

/** A builder of a tool `echo` of that schema, to be finished with {@link echoing}. */
export function echo<Source extends JsonSchemaSource>(schema: Source) {
  return ToolDefinition.builder().name('echo').description('Gives back its arguments').parameterSchema(schema)
}

/** A runtime with that tool alone, and what it says of `input`: the arguments that the executor got, or the issues. */
export async function asking(
  tool: ToolDefinition,
  options: { readonly arguments?: ArgumentSteps } = {},
): Promise<{
  readonly runtime: ToolRuntime
  readonly seen: (input: unknown) => Promise<unknown>
  readonly issues: (input: unknown) => Promise<readonly string[]>
}> {
  const { runtime } = await started({ tools: [tool], options })
  return {
    runtime,
    async seen(input) {
      const result = await runtime.call('echo', input)
      return result.ok ? result.value : `${result.error.code} ${result.error.message}`
    },
    async issues(input) {
      const result = await runtime.call('echo', input)
      if (result.ok || result.error.code !== 'INVALID_ARGUMENTS') throw new Error(JSON.stringify(result))
      return result.error.issues.map(({ message }) => message)
    },
  }
}

/** The tool that gives its arguments back. */
export function echoOf(schema: JsonSchemaSource): ToolDefinition {
  return echo(schema)
    .executor(({ args }) => args)
    .build()
}
