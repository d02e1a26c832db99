import { type AnswerKind as Answer, answerProblems, kindOf } from './answer-oracle.js'
import type { Header, HttpCase } from './http-cases.js'
import { effectiveBody, headerIn } from './http-facts.js'
import {
  acceptFaults,
  type Fault,
  type HttpRules,
  httpFaults,
  LEGACY_REVISIONS,
  sessionFaults,
} from './http-faults.js'
import { eraOf, isMessage, type Message, parsed } from './message-oracle.js'
import { isObject, outcomesOf } from './method-oracle.js'
import type { RawAnswer } from './raw-socket.js'

const REVISION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

/** What is wrong with the answer to a request; nothing if it is one of those that the request's faults allow. */
export function httpProblems(request: HttpCase, answer: RawAnswer, rules: HttpRules): string[] {
  const problems: string[] = []
  if (answer.end === 'silent') problems.push('there is no answer')
  const found = faultsOf(request, rules)
  const got = kindOf(answer)
  // Who is asked by whom comes before what is asked.
  const isDecisive = ({ what, isTolerable }: Fault) => !isTolerable && (what === 'Host' || what === 'Origin')
  const faults = found.some(isDecisive) ? found.filter((fault) => isDecisive(fault) || fault.isOfHttp) : found
  const allowed = faults.flatMap(({ answers }) => answers)
  if (faults.every(({ isTolerable }) => isTolerable === true)) allowed.push(...goodAnswers(request, rules))
  if (!allowed.includes(got)) {
    problems.push(
      `${got} is none of ${[...new Set(allowed)].join(', ')} (${faults.map(({ what }) => what).join(', ') || 'nothing wrong'})`,
    )
  }
  return [...problems, ...answerProblems(request, answer)]
}

/** The table of faults, in no order: where there are several, the server may name any. */
function faultsOf(request: HttpCase, rules: HttpRules): Fault[] {
  const http = httpFaults(request, rules)
  if (request.verb !== 'POST' || http.some(({ what }) => what.startsWith('HTTP'))) return http
  const message = parsed(effectiveBody(request))
  if (message === undefined) return [...http, { what: 'bad JSON', answers: ['400 -32700'] }]
  if (!isMessage(message)) return [...http, { what: 'no message', answers: ['400 -32600'] }]
  const isModern = eraOf(message, headerIn(request.headers, 'MCP-Protocol-Version')) === 'modern'
  return [...http, ...(isModern ? modernFaults(message, request) : legacyFaults(message, request, rules))]
}

function legacyFaults(
  message: Message,
  { headers, message: sent }: HttpCase,
  { sessions }: HttpRules,
): Fault[] {
  const faults: Fault[] = []
  faults.push(
    ...acceptFaults(headers, sessions ? ['application/json', 'text/event-stream'] : ['application/json']),
  )
  const revision = headerIn(headers, 'MCP-Protocol-Version')
  if (message.method === 'initialize') {
    if (message.id === undefined) faults.push({ what: 'handshake without id', answers: ['400 -32600'] })
    if (isLarge(message)) faults.push({ what: 'large handshake', answers: ['413 -32600'] })
    if (!sent.intact) faults.push({ what: 'handshake', answers: ['400 -32602'], isTolerable: true })
    return faults
  }
  if (sessions) faults.push(...sessionFaults(headers))
  else if (revision !== undefined && !LEGACY_REVISIONS.includes(revision)) {
    faults.push({ what: 'revision', answers: ['400 -32000'] })
  }
  return faults
}

/** More than is kept of a message for as long as a session or a stream lasts. */
function isLarge(message: Message): boolean {
  return Buffer.byteLength(JSON.stringify(message)) > 64 * 1024
}

function modernFaults(message: Message, { headers, message: sent }: HttpCase): Fault[] {
  const faults: Fault[] = []
  const { method = '', params = {}, id } = message
  const meta = isObject(params._meta) ? params._meta : {}
  const revision = meta[REVISION]
  const header = headerIn(headers, 'MCP-Protocol-Version')
  const envelope: Fault = { what: 'envelope', answers: ['400 -32602'] }
  const mismatch: Fault = { what: 'headers', answers: ['400 -32020'] }
  const isNotification = id === undefined
  for (const fault of acceptFaults(headers, ['application/json', 'text/event-stream'])) {
    faults.push({ ...fault, isTolerable: true })
  }
  if (revision !== undefined && typeof revision !== 'string') faults.push(envelope)
  if (!isNotification && (typeof revision !== 'string' || !isObject(meta[CAPABILITIES])))
    faults.push(envelope)
  // What is in the capabilities, in clientInfo and in logLevel is checked as well.
  if (!sent.intact) faults.push({ ...envelope, isTolerable: true })
  if (typeof revision === 'string' && revision !== '2026-07-28')
    faults.push({ what: 'revision', answers: ['400 -32022'] })
  if (header !== undefined && header !== '2026-07-28' && revision === undefined)
    faults.push({ what: 'revision', answers: ['400 -32022'] })
  if (method === 'subscriptions/listen' && isLarge(message))
    faults.push({ what: 'large subscription', answers: ['413 -32000'] })
  if (method === 'initialize' && header !== undefined) faults.push({ ...mismatch, isTolerable: true })
  if (header !== undefined ? revision !== undefined && header !== revision : !isNotification)
    faults.push(mismatch)
  const named = headerIn(headers, 'Mcp-Method')
  if (named === undefined ? !isNotification : named !== method) faults.push(mismatch)
  if (!isNotification) faults.push(...nameFaults(method, params, headers, mismatch))
  return faults
}

const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
}

function nameFaults(
  method: string,
  params: Readonly<Record<string, unknown>>,
  headers: readonly Header[],
  mismatch: Fault,
): Fault[] {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined
  if (field === undefined) return []
  const faults: Fault[] = []
  const [inBody, inHeader] = [params[field], headerIn(headers, 'Mcp-Name')]
  const isEncoded = inHeader?.startsWith('=?') === true
  const agrees = typeof inBody === 'string' ? inBody === inHeader : true
  if (!agrees || isEncoded) faults.push({ ...mismatch, isTolerable: isEncoded })
  const region = headerIn(headers, 'Mcp-Param-Region')
  if (params.name === 'routed' || region !== undefined) faults.push({ ...mismatch, isTolerable: true })
  return faults
}

/** What a request gets that has no fault, or only such as may be passed over. */
function goodAnswers(request: HttpCase, rules: HttpRules): Answer[] {
  const { verb, message: sent } = request
  if (verb === 'GET') return ['200 stream']
  if (verb === 'DELETE') return ['200 empty']
  if (verb !== 'POST') return []
  const message = parsed(effectiveBody(request))
  if (!isMessage(message)) return []
  const { method, params = {}, id } = message
  if (method === undefined || id === undefined) return ['202 empty']
  const era = eraOf(message, headerIn(request.headers, 'MCP-Protocol-Version'))
  const outcomes = outcomesOf(method, params, { era, served: rules.served, intact: sent.intact })
  return outcomes.map((outcome): Answer => {
    if (outcome === 'stream') return '200 stream'
    if (era === 'modern' && outcome === -32601) return '404 -32601'
    return outcome === -32021 ? '400 -32021' : `200 ${outcome}`
  })
}
