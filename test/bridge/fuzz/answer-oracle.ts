import type { HttpCase } from './http-cases.js'
import { effectiveBody } from './http-facts.js'
import { isMessage, parsed } from './message-oracle.js'
import { isObject } from './method-oracle.js'
import type { RawAnswer } from './raw-socket.js'
import { internalsIn } from './secrets.js'

type Json = Readonly<Record<string, unknown>>

/** A status with the code of the error, or with what else the body is: `result`, `stream`, `empty`, `raw`. */
export type AnswerKind = `${number} ${number | 'result' | 'stream' | 'empty' | 'raw'}` | 'closed'

export function kindOf({ status, headers, body }: RawAnswer): AnswerKind {
  if (status === 0) return 'closed'
  const messages = messagesOf(headers, body)
  if (messages === undefined) return `${status} ${body === '' ? 'empty' : 'raw'}`
  const answer = messages.find(({ method }) => method === undefined)
  if (answer === undefined) return `${status} stream`
  return `${status} ${isObject(answer.error) ? Number(answer.error.code) : 'result'}`
}

/** The messages of a body that is JSON or a stream of events; `undefined` if it is neither. */
function messagesOf(headers: RawAnswer['headers'], body: string): Json[] | undefined {
  const type = headers.get('content-type')
  if (type === 'text/event-stream') {
    return body
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => parsed(line.slice(6)) as Json)
  }
  const value = type === 'application/json' ? parsed(body) : undefined
  return isObject(value) ? [value] : undefined
}

/** What is wrong with an answer whatever was asked. */
export function answerProblems(request: HttpCase, { status, headers, body }: RawAnswer): string[] {
  const messages = messagesOf(headers, body) ?? []
  const problems = messages.flatMap((message) => messageProblems(message, sentId(request)))
  if (messages.filter(({ method }) => method === undefined).length > 1) problems.push('there are two answers')
  const isOurs = messages.length > 0 || body === ''
  if (status >= 500) problems.push(`the status is ${status}`)
  if (!isOurs) problems.push(`the body is no JSON-RPC: ${body.slice(0, 100)}`)
  return problems
}

function sentId(request: HttpCase): unknown {
  const message = parsed(effectiveBody(request))
  return isMessage(message) ? message.id : undefined
}

/** What is wrong with one message of the server, in answer to a request with this id. */
export function messageProblems(message: Json, id: unknown): string[] {
  if (message?.jsonrpc !== '2.0') return [`no JSON-RPC: ${JSON.stringify(message)}`]
  if (message.method !== undefined) return []
  const { error } = message
  if (error === undefined)
    return message.id === id || (id === 0 && message.id === 0)
      ? []
      : [`a result under ${JSON.stringify(message.id)}`]
  const problems: string[] = []
  if (message.id !== null && message.id !== id) problems.push(`an error under ${JSON.stringify(message.id)}`)
  if (
    !isObject(error) ||
    !Number.isInteger(error.code) ||
    typeof error.message !== 'string' ||
    error.message === ''
  )
    return [...problems, `a malformed error: ${JSON.stringify(error)}`]
  if (error.code === -32603) problems.push(`an internal error: ${error.message}`)
  return [...problems, ...internalsIn(JSON.stringify(error))]
}
