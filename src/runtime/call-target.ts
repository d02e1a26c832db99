import type { Descriptor } from '../registry/descriptor.js'
import type { CallKind } from '../registry/tool-execution-context.js'

/** What a call is for. */
export interface CallTarget {
  readonly kind: CallKind
  /** Of the definition; what was asked for where there is none. */
  readonly name: string
  readonly descriptor: Descriptor | undefined
  /** Of the resource that is read. */
  readonly uri?: string | undefined
}
