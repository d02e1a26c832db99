import { errorAnswer, type HttpAnswer } from '../http-exchange.js'

/** What a client is told that needs a token, or another one (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly status: 400 | 401 | 403
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** For people; it holds nothing of the request. */
  readonly message: string
  readonly scopes?: readonly string[]
  readonly resourceMetadata?: string
}

export function challengeAnswer({
  status,
  error,
  message,
  scopes = [],
  resourceMetadata,
}: Challenge): HttpAnswer {
  const parameters = [
    ...(error === undefined ? [] : [`error=${quoted(error)}`, `error_description=${quoted(message)}`]),
    ...(scopes.length === 0 ? [] : [`scope=${quoted(scopes.join(' '))}`]),
    ...(resourceMetadata === undefined ? [] : [`resource_metadata=${quoted(resourceMetadata)}`]),
  ]
  return errorAnswer(status, message, {
    headers: { 'www-authenticate': `Bearer ${parameters.join(', ')}`.trim(), 'cache-control': 'no-store' },
  })
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
