import {
  IdempotencyInterceptor,
  type IdempotencyInterceptorOptions,
} from '../../src/interceptors/idempotency.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { started, tool } from '../runtime/runtime-fixture.js'

type Executor = (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => unknown

/** A tool `pay` behind an idempotency interceptor: `runs` has the arguments of each time that it ran. */
export async function paying(
  executor: Executor = () => 'paid',
  {
    metadata = {},
    inside = [],
    ...options
  }: IdempotencyInterceptorOptions & {
    readonly metadata?: ToolMetadataInit
    readonly inside?: readonly ToolInterceptor[]
  } = {},
) {
  const runs: unknown[] = []
  const run: Executor = (ctx) => {
    runs.push(ctx.args)
    return executor(ctx)
  }
  const interceptors = [new IdempotencyInterceptor(options), ...inside]
  const { runtime, logger } = await started({
    interceptors,
    tools: [tool('pay', run, { metadata }), tool('other', run)],
  })
  return {
    runs,
    runtime,
    logger,
    pay: (options: CallOptions = {}, args: unknown = { amount: 1 }, name = 'pay') =>
      runtime.call(name, args, { idempotencyKey: 'k', ...options }),
  }
}

/** A turn of the event loop. */
export const tick = () => new Promise(setImmediate)
