import { DefinitionRegistry, type RegistryOptions } from './definition-registry.js'
import { describe } from './json-value.js'
import type { ChangeListener } from './registry-listeners.js'
import { ToolDefinition } from './tool-definition.js'
import { ToolDefinitionError } from './tool-definition-error.js'
import { DuplicateToolError, ToolNotFoundError } from './tool-error.js'

export interface ToolRegistryOptions extends RegistryOptions {
  /**
   * `portable` (default): 1 to 64 of `A-Z a-z 0-9 _ -`, which every known client and model provider takes. `mcp`: the
   * specification's 1 to 128, with the dot.
   */
  readonly names?: 'portable' | 'mcp'
}

/**
 * Hears of changes after they are made. The first three are called at once, for each change, in the order of the changes
 * (one that a listener makes comes after the one it was told of). `onChanged` is coalesced: one for a burst of changes.
 */
export interface ToolRegistryListener extends ChangeListener {
  onToolRegistered?(tool: ToolDefinition): void | Promise<void>
  onToolReplaced?(tool: ToolDefinition, previous: ToolDefinition): void | Promise<void>
  onToolRemoved?(tool: ToolDefinition): void | Promise<void>
}

/** The list of tools, by name. */
export class ToolRegistry extends DefinitionRegistry<ToolDefinition, ToolRegistryListener> {
  readonly #namePattern: RegExp

  constructor({ names = 'portable', ...options }: ToolRegistryOptions = {}) {
    super(options)
    this.#namePattern = names === 'mcp' ? /^[A-Za-z0-9_.-]{1,128}$/ : /^[A-Za-z0-9_-]{1,64}$/
  }

  override keyOf({ name }: ToolDefinition): string {
    return name
  }

  protected override requireValid(tool: ToolDefinition): void {
    if (!ToolDefinition.is(tool)) {
      throw new TypeError(
        `A tool must be a ToolDefinition, made with ToolDefinition.builder() (got ${describe(tool)})`,
      )
    }
    if (typeof tool.name === 'string' && this.#namePattern.test(tool.name)) return
    const allowed = `must match ${this.#namePattern}; the option names: 'mcp' allows all that MCP does`
    throw new ToolDefinitionError(String(tool.name), [{ path: 'name', message: allowed }])
  }

  protected override duplicate(name: string, registeredBy: string, refused: string): Error {
    return new DuplicateToolError(name, registeredBy, refused)
  }

  protected override notFound(name: string): Error {
    return new ToolNotFoundError(name)
  }

  protected override tellRegistered(listener: ToolRegistryListener, tool: ToolDefinition) {
    return listener.onToolRegistered?.(tool)
  }

  protected override tellReplaced(
    listener: ToolRegistryListener,
    tool: ToolDefinition,
    previous: ToolDefinition,
  ) {
    return listener.onToolReplaced?.(tool, previous)
  }

  protected override tellRemoved(listener: ToolRegistryListener, tool: ToolDefinition) {
    return listener.onToolRemoved?.(tool)
  }
}
