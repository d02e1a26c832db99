/** One thing wrong with an argument or a result. */
export interface ValidationIssue {
  /** JSON Pointer (RFC 6901) into the value; `''` is the value itself. */
  readonly path: string
  /** The JSON Schema keyword that refused, or `'custom'`. */
  readonly keyword: string
  /** A sentence that names the place, the rule and what is allowed. */
  readonly message: string
  /** The rule in machine form, such as `{ allowedValues: ['a', 'b'] }`. */
  readonly params?: Readonly<Record<string, unknown>>
}
