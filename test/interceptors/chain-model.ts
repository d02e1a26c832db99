import type { ChainPlan, HookPlan } from './chain-plan.js'

/** An error as the model sees it; `tool` is one that is a `ToolError` as it is thrown. */
export interface ModelError {
  readonly text: string
  readonly tool: boolean
  readonly cause?: ModelError | undefined
}

type End = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly error: ModelError }

/** What a call does. `place` says which context it is in: the changes on the way to it. */
export interface ModelEvent {
  readonly place: string
  readonly what: string
}

export interface ModelRun {
  readonly events: readonly ModelEvent[]
  readonly end: string
}

/**
 * The contract as one recursive definition that knows no promises: interceptor `i` is what it does around the chain of
 * the rest.
 */
export function modelRun({ interceptors, innermost }: ChainPlan): ModelRun {
  const events: ModelEvent[] = []
  const end = layer(0, '')
  return { events, end: end.ok ? `ok ${end.value}` : `failed ${describeModelError(end.error)}` }

  function layer(i: number, place: string): End {
    const plan = interceptors[i]
    if (plan === undefined) return core(place)
    const entry = hook(i, 'before', plan.before, place)
    if (entry !== undefined) return entry
    const own = plan.before?.act === 'changed' ? `${place}/${i}b` : place
    return leave(i, own, around(i, own))
  }

  function core(place: string): End {
    events.push({ place, what: 'execute' })
    if (innermost.act === 'success') return { ok: true, value: 'executed' }
    return failed(innermost.act === 'throw' ? { text: 'executor', tool: true } : masked('executor'))
  }

  function leave(i: number, place: string, inner: End): End {
    const plan = interceptors[i]
    if (inner.ok) return hook(i, 'after', plan?.after, place) ?? inner
    const answer = hook(i, 'onError', plan?.onError, place, describeModelError(inner.error))
    if (answer === undefined) return inner
    return answer.ok ? answer : failed(withFirst(answer.error, inner.error))
  }

  function around(i: number, place: string): End {
    const inner = (turn: string) => layer(i + 1, `${place}/${turn}`)
    const note = (what: string) => void events.push({ place, what: `${i}.${what}` })
    const plan = interceptors[i]?.around
    if (plan === undefined) return layer(i + 1, place)
    note('around')
    const answer: End = { ok: true, value: `${i}.around` }
    const mistake = failed({ text: 'masked', tool: true, cause: { text: `${i} mistake`, tool: false } })
    switch (plan.act) {
      case 'once':
        return layer(i + 1, place)
      case 'onceChanged':
        return inner(`${i}`)
      case 'skip':
        return answer
      case 'failure':
      case 'throwBefore':
        return failed({ text: `${i}.around`, tool: true })
      case 'junk':
        return mistake
      case 'twice': {
        const first = inner(`${i}first`)
        return first.ok ? first : inner(`${i}second`)
      }
      case 'recover': {
        const first = inner(`${i}`)
        return first.ok ? first : answer
      }
      case 'overlap': {
        const first = inner(`${i}`)
        note('refused')
        return first
      }
      case 'throwAfter': {
        const first = inner(`${i}`)
        return first.ok ? failed(masked(`${i}.around`)) : first
      }
      case 'drop':
        inner(`${i}dropped`)
        return answer
      case 'late':
        events.push({ place: `${place}/${i}late`, what: `${i}.refused` })
        return answer
    }
  }

  /** What the hook decides, if it decides anything. */
  function hook(
    i: number,
    name: string,
    plan: HookPlan | undefined,
    place: string,
    sees = '',
  ): End | undefined {
    if (plan === undefined) return undefined
    const what = `${i}.${name}`
    events.push({ place, what: sees === '' ? what : `${what} ${sees}` })
    if (plan.act === 'success') return { ok: true, value: what }
    if (plan.act === 'failure' || plan.act === 'throw') return failed({ text: what, tool: true })
    if (plan.act === 'throwPlain') return failed(masked(what))
    return undefined
  }
}

export function describeModelError({ text, tool, cause }: ModelError): string {
  return `${tool ? '' : 'plain '}${text}${cause === undefined ? '' : ` < ${describeModelError(cause)}`}`
}

/** Rethrowing the same error is the same as doing nothing, so that no case of it is here. */
function withFirst(error: ModelError, first: ModelError): ModelError {
  return { ...error, cause: error.cause === undefined ? first : withFirst(error.cause, first) }
}

function masked(text: string): ModelError {
  return { text: 'masked', tool: true, cause: { text, tool: false } }
}

function failed(error: ModelError): End {
  return { ok: false, error }
}
