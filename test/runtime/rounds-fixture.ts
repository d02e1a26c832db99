import { CallSuspension } from '../../src/registry/call-suspension.js'
import { digest } from '../../src/registry/fingerprint.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { CallRound } from '../../src/runtime/call-round.js'
import type { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { gist, started, tool } from './runtime-fixture.js'

export type Executor = (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => unknown

/** What is to happen in this turn of the event loop has happened. */
export const turn = () => new Promise(setImmediate)
/** A question, with a key if it is to have one. */
export const form = (key?: string) =>
  ({ ...(key !== undefined && { key }), message: 'Sure?', schema: { type: 'object' } }) as const
export const accept = { action: 'accept', content: {} } as const

/** What a test says of a round: the answers as a client sends them, to `form(key)` or to a question for its folders. */
export type GivenRound = Partial<Omit<CallRound, 'answers'>> & {
  readonly answers?: Readonly<Record<string, unknown>>
}

/** A round of a client that can answer everything. */
export function round({ answers = {}, ...given }: GivenRound = {}): CallRound {
  return { number: 1, steps: {}, supports: () => true, ...given, answers: bound(answers) }
}

/** Each answer with the digest of what was asked. */
function bound(answers: Readonly<Record<string, unknown>>): CallRound['answers'] {
  const entries = Object.entries(answers).map(([key, answer]) => {
    const isRoots = typeof answer === 'object' && answer !== null && 'roots' in answer
    const question = isRoots ? { key, kind: 'roots' } : { ...form(key), kind: 'form' }
    return [key, { questionDigest: digest(question), answer }]
  })
  return Object.fromEntries(entries)
}

/** One round of a call of `asks`: what came of it, or what it waits for. */
export async function runRound(runtime: ToolRuntime, given: GivenRound = {}, options = {}) {
  const outcome = await runtime.run({ kind: 'tool', name: 'asks', input: {} }, options, round(given))
  if (!CallSuspension.is(outcome)) return gist(outcome)
  return { asked: outcome.questions.map(({ key }) => key), steps: { ...outcome.steps } }
}

/** A runtime with one tool, `asks`. */
export async function withTool(executor: Executor, parts: Parameters<typeof tool>[2] = {}) {
  return started({ tools: [tool('asks', executor, parts)] })
}
