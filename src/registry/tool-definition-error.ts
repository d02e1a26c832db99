import { type DefinitionKind, subjectOf } from './definition-kind.js'

/** One fault of a definition: where (JSON Pointer into the schema, or the name of a field) and what. */
export interface DefinitionFault {
  readonly path: string
  readonly message: string
}

/**
 * A tool, resource or prompt that cannot be built or registered as it is; says which one and lists every fault. Thrown at
 * start-up.
 */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError'
  readonly toolName: string
  readonly faults: readonly DefinitionFault[]

  constructor(toolName: string, faults: readonly DefinitionFault[], kind?: DefinitionKind) {
    const list = faults.map(({ path, message }) => `${path}: ${message}`).join('; ')
    super(`${subjectOf(toolName, { kind })} cannot be used: ${list}`)
    this.toolName = toolName
    this.faults = Object.freeze([...faults])
  }
}

/** Throws a {@link ToolDefinitionError} that lists the faults, if there are any. `name` may be missing, or anything. */
export function requireSound(kind: DefinitionKind, name: unknown, faults: readonly DefinitionFault[]): void {
  if (faults.length > 0)
    throw new ToolDefinitionError(typeof name === 'string' ? name : '(no name)', faults, kind)
}
