import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'

/** A tool without parameters that answers with its own name. */
export function namedTool(name: string, description = `Runs ${name}`): ToolDefinition {
  return ToolDefinition.builder()
    .name(name)
    .description(description)
    .executor(() => name)
    .build()
}

/** Everything that can be reached from a value and is not frozen, as paths; empty if the value is deeply frozen. */
export function unfrozenIn(value: unknown, path = '$'): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const members = Object.entries(value).flatMap(([name, member]) => unfrozenIn(member, `${path}.${name}`))
  return Object.isFrozen(value) ? members : [path, ...members]
}

const city = JsonSchema.object({ city: SchemaProperty.STRING }, { required: ['city'] })

/** A tool of which every part is given. */
export function completeTool() {
  const given = {
    annotations: { title: 'Weather', readOnlyHint: true },
    icon: { src: 'https://example.test/icon.png', sizes: ['48x48'] },
    meta: { 'example.test/order': { rank: 1 } },
    metadata: {
      owner: 'weather-team',
      timeoutMs: 50,
      tags: ['weather'],
      links: { runbook: 'https://example.test' },
    },
    interceptors: [{ name: 'first' }, { name: 'second' }],
  }
  const definition = ToolDefinition.builder()
    .name('get_weather')
    .title('Weather')
    .description('Current weather of a city')
    .parameterSchema(city)
    .outputSchema({ type: 'object', properties: { celsius: { type: 'number' } } })
    .annotations(given.annotations)
    .icons(given.icon)
    .meta(given.meta)
    .metadata(given.metadata)
    .withInterceptor(...given.interceptors)
    .executor(() => ({ celsius: 21 }))
    .build()
  return { given, definition }
}

/** The parts of a definition that anyone can see. */
export function partsOf(definition: ToolDefinition) {
  const { title, description, inputSchema, outputSchema, annotations, icons, meta, metadata, interceptors } =
    definition
  return { title, description, inputSchema, outputSchema, annotations, icons, meta, metadata, interceptors }
}

/** A registry that holds these tools, all of source P1. */
export function registryWith(...names: readonly string[]): ToolRegistry {
  const registry = new ToolRegistry()
  registry.registerAll(
    names.map((name) => namedTool(name)),
    { name: 'P1' },
  )
  return registry
}

/** The names of the tools, in the order of the list. */
export function namesIn(registry: ToolRegistry): readonly string[] {
  return registry.list().map(({ name }) => name)
}
