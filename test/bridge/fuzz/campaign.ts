import { inspect } from 'node:util'
import fc from 'fast-check'
import { messagesOf, modern, openSession, request, send } from '../fixtures/http-server.js'
import { HttpFuzz, urlOf } from './http-fuzz.js'
import { noiseProperty } from './noise-fuzz.js'
import { sessionProperty } from './session-fuzz.js'
import { stdioProperty } from './stdio-fuzz.js'
import { BOUND_MS, type FuzzTarget, fuzzTarget } from './target.js'

export interface CampaignOptions {
  readonly seed: number
  /** Cases of each property. */
  readonly runs: number
}

export interface Report {
  readonly name: string
  readonly cases: number
  /** What went wrong, with the smallest case that shows it. */
  readonly failure?: string
}

type Property = (target: FuzzTarget) => Promise<Subject> | Subject

interface Subject {
  readonly property: fc.IAsyncProperty<unknown>
  /** Lets go of what the cases have opened. */
  readonly end?: () => Promise<unknown>
}

const PROPERTIES: Readonly<
  Record<string, { readonly sessions: boolean; readonly share: number; readonly start: Property }>
> = {
  'HTTP with sessions': { sessions: true, share: 1, start: (target) => httpSubject(target, true) },
  'HTTP without sessions': { sessions: false, share: 1, start: (target) => httpSubject(target, false) },
  noise: { sessions: true, share: 0.5, start: (target) => ({ property: widened(noiseProperty(target)) }) },
  stdio: { sessions: true, share: 0.5, start: (target) => ({ property: widened(stdioProperty(target)) }) },
  sessions: {
    sessions: true,
    share: 0.15,
    start: (target) => ({ property: widened(sessionProperty(target)) }),
  },
}

export const PROPERTY_NAMES = Object.keys(PROPERTIES)

/** Runs one property against a server of its own, and looks at the server afterwards. */
export async function campaign(name: string, { seed, runs }: CampaignOptions): Promise<Report> {
  const { sessions, share, start } = PROPERTIES[name] as (typeof PROPERTIES)[string]
  const target = await fuzzTarget(sessions)
  const crashes: unknown[] = []
  const onCrash = (thrown: unknown) => void crashes.push(thrown)
  const events = ['uncaughtException', 'unhandledRejection', 'warning'] as const
  for (const event of events) process.on(event, onCrash)
  try {
    const subject = await start(target)
    const details = await fc.check(subject.property, {
      seed,
      numRuns: Math.ceil(runs * share),
      endOnFailure: false,
    })
    await subject.end?.()
    const aftermath = details.failed ? [] : await aftermathOf(target, sessions)
    // What is thrown late is thrown a turn or two later.
    await new Promise((resolve) => setTimeout(resolve, 20))
    const failures = [
      ...(details.failed ? [failureOf(details)] : []),
      ...aftermath,
      ...crashes.map((thrown) => `the process heard: ${String(thrown)}`),
    ]
    return { name, cases: details.numRuns, ...(failures.length > 0 && { failure: failures.join('\n') }) }
  } finally {
    for (const event of events) process.off(event, onCrash)
    await target[Symbol.asyncDispose]()
  }
}

/** What broke, the smallest case, and how to get there again. */
function failureOf({
  errorInstance,
  counterexample,
  seed,
  counterexamplePath,
}: fc.RunDetails<unknown>): string {
  const what = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return `${what}\n${inspect(counterexample, { depth: 9, maxStringLength: 2_000 })}\nseed ${seed}, path ${counterexamplePath}`
}

function widened<T>(property: fc.IAsyncProperty<T>): fc.IAsyncProperty<unknown> {
  return property as fc.IAsyncProperty<unknown>
}

async function httpSubject(target: FuzzTarget, sessions: boolean): Promise<Subject> {
  const fuzz = await HttpFuzz.start(target, sessions)
  return { property: widened(fuzz.property()), end: () => fuzz.end() }
}

/** A server that has been through all that still serves a new client, and holds nothing of the old ones. */
async function aftermathOf(target: FuzzTarget, sessions: boolean): Promise<string[]> {
  const problems: string[] = []
  const url = urlOf(target)
  const left = target.bridge.sessionCount
  if (left > 0) problems.push(`${left} sessions are left`)
  const headers = sessions ? await openSession(url) : {}
  const add = { name: 'add', arguments: { a: 1, b: 2 } }
  for (const raw of [{ headers, body: request(1, 'tools/call', add) }, modern(1, 'tools/call', add)]) {
    const answers = JSON.stringify(await messagesOf(await send(url, raw)))
    if (!answers.includes('"structuredContent":{"sum":3}')) problems.push(`a new client gets ${answers}`)
  }
  if (sessions) await (await send(url, { method: 'DELETE', headers })).text()
  if ('polluted' in {}) problems.push('Object.prototype is polluted')
  if (!(await isIdle(target))) problems.push('requests are still running')
  return [...problems, ...target.leaks()]
}

/** The bridge closes at once only when no request is running: it would wait for one much longer than this. */
async function isIdle({ bridge }: FuzzTarget): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), BOUND_MS)
  })
  const isClosed = await Promise.race([bridge.close().then(() => true), tooLong])
  clearTimeout(timer)
  return isClosed
}
