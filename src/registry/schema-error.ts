/**
 * A schema that makes no sense or is no JSON: thrown while a schema is written or read, that is at start-up, never
 * during a call. `pointer` is the JSON pointer of the offending place ("" is the root).
 */
export class SchemaError extends TypeError {
  override readonly name = 'SchemaError'
  readonly pointer: string

  constructor(message: string, pointer = '', options?: ErrorOptions) {
    super(pointer === '' ? message : `${message} (at ${pointer})`, options)
    this.pointer = pointer
  }
}

/** `pointer` extended by one member name or index, escaped as RFC 6901 says. */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
