import type { AnswerKind as Answer } from './answer-oracle.js'
import { type Header, type HttpCase, SESSION } from './http-cases.js'
import {
  declaredLength,
  headerIn,
  isHostAllowed,
  isOriginAllowed,
  isRepeated,
  mediaType,
} from './http-facts.js'
import type { Served } from './method-oracle.js'

export interface HttpRules {
  readonly sessions: boolean
  readonly maxBodyBytes: number
  readonly served: Served
}

/** Something wrong with a request, and what may be answered to it. */
export interface Fault {
  readonly what: string
  readonly answers: readonly Answer[]
  /** The server's HTTP parser sees it, before or while anybody else looks. */
  readonly isOfHttp?: boolean
  /** The server may look at it otherwise, and let it pass. */
  readonly isTolerable?: boolean
}

export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

/** What is wrong with a request before it is known what it says. */
export function httpFaults(request: HttpCase, { maxBodyBytes, sessions }: HttpRules): Fault[] {
  const { verb, framing, headers, path } = request
  const faults: Fault[] = []
  const add = (condition: boolean, what: string, ...answers: Answer[]) => {
    if (condition) faults.push({ what, answers, isOfHttp: what.startsWith('HTTP') })
  }
  const values = headers.map(([, value]) => value)
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, path.length)
  add(size > 15_000, 'HTTP: headers too large', '431 empty')
  add(
    values.some((value) => ['\u0000', '\r', '\n'].some((forbidden) => value.includes(forbidden))),
    'HTTP: forbidden character',
    '400 empty',
  )
  add(!headers.some(([name]) => name === 'Host'), 'HTTP: no Host', '400 empty')
  add(framing === 'twice', 'HTTP: two lengths', '400 empty')
  add(verb === 'post', 'HTTP: no verb', '400 empty')
  const expect = headerIn(headers, 'Expect')
  if (expect !== undefined && expect !== '100-continue') {
    faults.push({ what: 'Expect', answers: ['417 empty'], isOfHttp: true, isTolerable: true })
  }
  // What follows the body is read as the next request, which is none.
  if (framing === 'none' || framing === 'too short') {
    faults.push({
      what: 'trailing bytes',
      answers: ['400 empty', 'closed'],
      isOfHttp: true,
      isTolerable: true,
    })
  }
  const isBodyRead = verb === 'POST' && framing === 'too long'
  if (isBodyRead)
    faults.push({ what: 'truncated', answers: ['400 -32700', 'closed', '400 empty'], isOfHttp: true })
  // Nobody knows which of the two somebody else has gone by.
  if (isRepeated(headers, 'Host')) faults.push({ what: 'Host', answers: ['403 -32000'], isTolerable: true })
  add(!isHostAllowed(headerIn(headers, 'Host')), 'Host', '403 -32000')
  const origin = headerIn(headers, 'Origin')
  add(origin !== undefined && !isOriginAllowed(origin), 'Origin', '403 -32000')
  add(!['POST', 'GET', 'DELETE'].includes(verb), 'verb', '405 -32000')
  if (verb === 'HEAD') return faults.map((fault) => ({ ...fault, answers: fault.answers.map(withoutBody) }))
  if (verb === 'POST') {
    if (isRepeated(headers, 'Content-Type')) {
      faults.push({ what: 'Content-Type', answers: ['415 -32000'], isTolerable: true })
    }
    add(mediaType(headerIn(headers, 'Content-Type')) !== 'application/json', 'Content-Type', '415 -32000')
    add(declaredLength(request) > maxBodyBytes, 'too large', '413 -32000', 'closed')
  } else if (!sessions) add(verb === 'GET' || verb === 'DELETE', 'no sessions', '405 -32000')
  else {
    if (verb === 'GET') faults.push(...acceptFaults(headers, ['text/event-stream']))
    faults.push(...sessionFaults(headers))
  }
  return faults
}

function withoutBody(answer: Answer): Answer {
  return answer === 'closed' ? answer : (`${Number.parseInt(answer, 10)} empty` as Answer)
}

export function sessionFaults(headers: readonly Header[]): Fault[] {
  const faults: Fault[] = []
  const session = headerIn(headers, 'Mcp-Session-Id')
  const revision = headerIn(headers, 'MCP-Protocol-Version')
  if (session === undefined || session === '')
    faults.push({ what: 'no session', answers: ['400 -32000', '404 -32001'] })
  else if (session !== SESSION) faults.push({ what: 'unknown session', answers: ['404 -32001'] })
  if (revision !== undefined && !LEGACY_REVISIONS.includes(revision)) {
    faults.push({ what: 'revision', answers: ['400 -32000'] })
  }
  return faults
}

/** MCP wants each type named; that HTTP has wildcards for them, and may do without the header, may be taken into account. */
export function acceptFaults(headers: readonly Header[], types: readonly string[]): Fault[] {
  const accept = headerIn(headers, 'Accept')?.toLowerCase()
  if (accept !== undefined && types.every((type) => accept.includes(type))) return []
  const isTolerable =
    accept === undefined || types.every((type) => accept.includes(type) || accept.includes('*'))
  return [{ what: 'Accept', answers: ['406 -32000'], isTolerable }]
}
