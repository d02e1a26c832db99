import type { RegistryChange } from '../../src/registry/registry-listeners.js'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolRegistryListener } from '../../src/registry/tool-registry.js'
import { ToolRegistry, type ToolRegistryOptions } from '../../src/registry/tool-registry.js'

/** A listener that notes each event as `registered a`, `replaced a` or `removed a`. */
export function recorder(events: string[] = []): ToolRegistryListener & { readonly events: string[] } {
  const note = (what: string) => (tool: ToolDefinition) => void events.push(`${what} ${tool.name}`)
  return {
    events,
    onToolRegistered: note('registered'),
    onToolReplaced: note('replaced'),
    onToolRemoved: note('removed'),
  }
}

/** A registry with a listener that keeps the coalesced changes. */
export function observed(options: ToolRegistryOptions = {}) {
  const registry = new ToolRegistry(options)
  const changes: RegistryChange[] = []
  registry.addListener({ onChanged: (change) => void changes.push(change) })
  return { registry, changes }
}
