/**
 * A schema that makes no sense or is not JSON. Thrown while a schema is written or read, which is at start-up and never
 * during a call. `pointer` is the JSON Pointer of the offending place (`''` is the root).
 */
export class SchemaError extends TypeError {
  override readonly name = 'SchemaError'
  readonly pointer: string

  constructor(message: string, pointer = '', options?: ErrorOptions) {
    super(pointer === '' ? message : `${message} (at ${pointer})`, options)
    this.pointer = pointer
  }
}
