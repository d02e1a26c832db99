import { InterceptorChain } from '../../src/interceptors/chain.js'
import { ToolError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { contextOf } from './tool-call-fixture.js'

type Hooks = Required<Pick<ToolInterceptor, 'beforeExecute' | 'afterExecute' | 'onError'>>

/** What every hook of a recorder does before it answers. */
export type Pace = 'sync' | 'async'

/** Writes down which hooks run, in order, and how the chain ends. */
export class ChainRecorder {
  readonly events: string[] = []
  readonly #pace: Pace

  constructor(pace: Pace = 'sync') {
    this.#pace = pace
  }

  /** An interceptor with all hooks but `around`; each is recorded and then does what `behaviour` says, if anything. */
  interceptor(name: string, behaviour: Omit<ToolInterceptor, 'name'> = {}): ToolInterceptor {
    const hooks: Hooks = {
      beforeExecute: (ctx) => this.#answer(`${name}.before`, () => behaviour.beforeExecute?.(ctx)),
      afterExecute: (ctx, result) =>
        this.#answer(`${name}.after`, () => behaviour.afterExecute?.(ctx, result)),
      onError: (ctx, error) =>
        this.#answer(`${name}.onError ${describeError(error)}`, () => behaviour.onError?.(ctx, error)),
    }
    return { ...behaviour, name, ...hooks }
  }

  /** Runs the interceptors around `work`. Every test compares all that happened. */
  async run(
    interceptors: readonly ToolInterceptor[],
    work: (ctx: ToolExecutionContext) => unknown = () => 'done',
    { ctx = contextOf(), argumentsAreFinal = true } = {},
  ): Promise<{ readonly events: readonly string[]; readonly ended: string }> {
    const innermost = async (inner: ToolExecutionContext): Promise<ToolSuccess> => {
      this.events.push('execute')
      return ToolExecutionResult.success(await work(inner))
    }
    const chain = new InterceptorChain(interceptors, { argumentsAreFinal })
    const ended = await describeEnd(async () => chain.run(ctx, innermost))
    return { events: this.events, ended }
  }

  #answer<T>(event: string, act: () => T | Promise<T>): T | Promise<T> {
    if (this.#pace === 'sync') {
      this.events.push(event)
      return act()
    }
    return Promise.resolve().then(async () => {
      this.events.push(event)
      await Promise.resolve()
      return act()
    })
  }
}

/** `ok 1`, or `failed` and the error. */
async function describeEnd(run: () => Promise<ToolSuccess>): Promise<string> {
  try {
    return `ok ${String((await run()).value)}`
  } catch (error) {
    return `failed ${describeError(error)}`
  }
}

/** The error and its causes, the last of which came first: `UPSTREAM_FAILED second < UPSTREAM_FAILED first`. */
export function describeError(error: unknown): string {
  const described: string[] = []
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) {
    if (described.length > 20) throw new Error('the causes of an error go round in a circle')
    if (ToolError.is(at)) described.push(`${at.code} ${at.message}`)
    else described.push(String(at))
  }
  return described.join(' < ')
}

/** The innermost of a call, or a hook, that fails. */
export function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}
