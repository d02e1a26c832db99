import { quoteName } from './quoted-name.js'

/** One fault of a definition: where (JSON Pointer into the schema, or the name of a field) and what. */
export interface DefinitionFault {
  readonly path: string
  readonly message: string
}

/** A tool that cannot be built or registered as it is; says which one and lists every fault. Thrown at start-up. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError'
  readonly toolName: string
  readonly faults: readonly DefinitionFault[]

  constructor(toolName: string, faults: readonly DefinitionFault[]) {
    const list = faults.map(({ path, message }) => `${path}: ${message}`).join('; ')
    super(`Tool ${quoteName(toolName)} cannot be used: ${list}`)
    this.toolName = toolName
    this.faults = Object.freeze([...faults])
  }
}
