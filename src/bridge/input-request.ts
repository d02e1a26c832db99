import { randomUUID } from 'node:crypto'
import type { AskedQuestion } from '../registry/ask.js'

/** A request from the server to the client. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: Readonly<Record<string, unknown>>
}

/** A question in MCP's words, the same in both eras. `id` names it where the client is asked more than once. */
export function inputRequestOf(question: AskedQuestion, id?: string): InputRequest {
  switch (question.kind) {
    case 'form':
      return { method: 'elicitation/create', params: formParams(question) }
    case 'url': {
      const { message, url } = question
      const params = { mode: 'url', message, url, elicitationId: id ?? randomUUID() }
      return { method: 'elicitation/create', params }
    }
    case 'sampling': {
      const { kind: _kind, key: _key, ...params } = question
      return { method: 'sampling/createMessage', params }
    }
    case 'roots':
      return { method: 'roots/list', params: {} }
  }
}

/** `mode` is left out: clients from before there were modes know forms alone. Nor do they know other keywords. */
function formParams({ message, schema }: AskedQuestion & { readonly kind: 'form' }): InputRequest['params'] {
  const { type, properties, required } = schema
  const requestedSchema = { type, properties, ...(required !== undefined && { required }) }
  return { message, requestedSchema }
}
