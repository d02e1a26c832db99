import { InterceptorChain } from '../../src/interceptors/chain.js'
import { ToolError, UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../../src/registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ModelEvent, ModelRun } from './chain-model.js'
import type { AroundPlan, ChainPlan, HookPlan, InnermostPlan, InterceptorPlan } from './chain-plan.js'
import { contextOf } from './tool-call-fixture.js'

/** Runs the real chain as planned, until nothing goes on any more. */
export async function runPlan(plan: ChainPlan): Promise<ModelRun & { readonly eventsAtEnd: number }> {
  const run = new PlannedRun()
  const interceptors = plan.interceptors.map((interceptor, i) => run.interceptor(`${i}`, interceptor))
  const chain = new InterceptorChain(interceptors, { argumentsAreFinal: true })
  const end = await endOf(async () => chain.run(contextOf(), run.innermost(plan.innermost)))
  const eventsAtEnd = run.events.length
  await run.idle()
  return { events: run.events, end, eventsAtEnd }
}

async function endOf(run: () => Promise<ToolSuccess>): Promise<string> {
  try {
    return `ok ${(await run()).value}`
  } catch (error) {
    return `failed ${describeError(error)}`
  }
}

class PlannedRun {
  readonly events: ModelEvent[] = []
  readonly #places = new WeakMap<ToolExecutionContext, string>()

  interceptor(name: string, { before, after, onError, around }: InterceptorPlan): ToolInterceptor {
    return {
      name,
      ...(before && {
        beforeExecute: (ctx) =>
          this.#answer(ctx, `${name}.before`, before, () => this.#into(ctx, `${name}b`)),
      }),
      ...(after && {
        afterExecute: (ctx) => this.#answer(ctx, `${name}.after`, after) as ToolExecutionResult,
      }),
      ...(onError && {
        onError: (ctx, error) => {
          const what = `${name}.onError`
          const rethrow = () => {
            throw error
          }
          return this.#answer(ctx, what, onError, rethrow, ` ${describeError(error)}`) as ToolExecutionResult
        },
      }),
      ...(around && { aroundExecute: (ctx, next) => this.#around(name, around, ctx, next) }),
    }
  }

  innermost({ act, turns }: InnermostPlan): (ctx: ToolExecutionContext) => Promise<ToolSuccess> {
    return (ctx) => {
      this.#note(ctx, 'execute')
      if (act === 'throwSync') throw new RangeError('executor')
      return pause(turns).then(() => {
        if (act === 'throw') throw new UpstreamError('executor')
        if (act === 'throwPlain') throw new RangeError('executor')
        return ToolExecutionResult.success('executed')
      })
    }
  }

  /** Dropped work pauses for one turn of the event loop at most between two events. */
  async idle(): Promise<void> {
    for (let still = 0, before = -1; still < 4; ) {
      still = this.events.length === before ? still + 1 : 0
      before = this.events.length
      await new Promise(setImmediate)
    }
  }

  #note(ctx: ToolExecutionContext, what: string, way = ''): void {
    this.events.push({ place: `${this.#places.get(ctx) ?? ''}${way}`, what })
  }

  #into(ctx: ToolExecutionContext, turn: string): ToolExecutionContext {
    const changed = ctx.with({})
    this.#places.set(changed, `${this.#places.get(ctx) ?? ''}/${turn}`)
    return changed
  }

  #answer(
    ctx: ToolExecutionContext,
    what: string,
    { act, turns }: HookPlan,
    ownAct: () => ToolExecutionContext = () => ctx,
    sees = '',
  ) {
    const answer = (): ToolExecutionContext | ToolExecutionResult | undefined => {
      if (act === 'throw') throw new UpstreamError(what)
      if (act === 'throwPlain') throw new RangeError(what)
      if (act === 'failure') return ToolExecutionResult.failure(new UpstreamError(what))
      if (act === 'success') return ToolExecutionResult.success(what)
      if (act === 'changed' || act === 'rethrow') return ownAct()
      if (act === 'junk') return { value: 'junk' } as never
      return undefined
    }
    this.#note(ctx, `${what}${sees}`)
    return turns === 0 ? answer() : pause(turns).then(answer)
  }

  async #around(
    name: string,
    { act, turns }: AroundPlan,
    ctx: ToolExecutionContext,
    next: Next,
  ): Promise<ToolExecutionResult> {
    this.#note(ctx, `${name}.around`)
    await pause(turns)
    const inner = (turn = '') => next(this.#into(ctx, `${name}${turn}`))
    const answer = ToolExecutionResult.success(`${name}.around`)
    switch (act) {
      case 'once':
        return next()
      case 'onceChanged':
        return inner()
      case 'skip':
        return answer
      case 'failure':
        return ToolExecutionResult.failure(new UpstreamError(`${name}.around`))
      case 'throwBefore':
        throw new UpstreamError(`${name}.around`)
      case 'junk':
        return { value: 'junk' } as never
      case 'twice':
        return inner('first').catch(() => inner('second'))
      case 'recover':
        return inner().catch(() => answer)
      case 'throwAfter':
        await inner()
        throw new RangeError(`${name}.around`)
      case 'overlap': {
        const [first, second] = await Promise.allSettled([inner(), next()])
        if (second.status === 'rejected') this.#note(ctx, `${name}.refused`)
        if (first.status === 'rejected') throw first.reason
        return first.value
      }
      case 'drop':
        void inner('dropped')
        return answer
      case 'late':
        setImmediate(() => next().catch(() => this.#note(ctx, `${name}.refused`, `/${name}late`)))
        return answer
    }
  }
}

/** As the model describes its errors. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `no error at all: ${error}`
  const cause = error.cause === undefined ? '' : ` < ${describeError(error.cause)}`
  if (error instanceof TypeError)
    return `plain ${error.message.replace(/: aroundExecute must return .*/, ' mistake')}`
  if (!ToolError.is(error)) return `plain ${error.message}${cause}`
  return `${error.code === 'EXECUTION_FAILED' ? 'masked' : error.message}${cause}`
}

/** Waits; three turns are one of the event loop, fewer are microtasks. */
async function pause(turns: number): Promise<void> {
  if (turns === 3) await new Promise(setImmediate)
  else for (let i = 0; i < turns; i++) await undefined
}
