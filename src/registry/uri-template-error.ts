import { quoteName } from './quoted-name.js'

/** A text that is no URI template of the kinds we know. Thrown while a resource is defined, never during a read. */
export class UriTemplateError extends TypeError {
  override readonly name = 'UriTemplateError'
  /** Where in the text it is wrong, counted from 0. */
  readonly position: number
  /** What is wrong there, and what would be right. */
  readonly reason: string

  constructor(template: string, position: number, reason: string) {
    super(`URI template ${quoteName(template)} is wrong at character ${position}: ${reason}`)
    this.position = position
    this.reason = reason
  }
}

/** A URI that no reader may see: its escapes decode to nothing, or it is too long. On MCP: JSON-RPC error -32602. */
export class MalformedUriError extends URIError {
  override readonly name = 'MalformedUriError'
  readonly uri: string

  constructor(uri: string, reason: string) {
    super(`URI ${quoteName(uri)} ${reason}`)
    this.uri = uri
  }
}
