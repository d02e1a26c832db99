import { DefinitionRegistry, type RegistryOptions } from './definition-registry.js'
import { describe } from './json-value.js'
import type { RegisteredDefinition } from './registered-definition.js'
import type { ChangeListener } from './registry-listeners.js'
import { ResourceDefinition } from './resource-definition.js'
import { DuplicateToolError, ResourceNotFoundError } from './tool-error.js'
import type { UriTemplate } from './uri-template.js'
import { MalformedUriError } from './uri-template-error.js'

/** Hears of changes as a `ToolRegistryListener` does, and of resources whose contents have changed. */
export interface ResourceRegistryListener extends ChangeListener {
  onResourceRegistered?(resource: ResourceDefinition): void | Promise<void>
  onResourceReplaced?(resource: ResourceDefinition, previous: ResourceDefinition): void | Promise<void>
  onResourceRemoved?(resource: ResourceDefinition): void | Promise<void>
  onResourceUpdated?(uri: string): void | Promise<void>
}

/** A resource that a URI names, with the values of its template's variables, or with why they cannot be read. */
export type ResourceMatch = { readonly registered: RegisteredDefinition<ResourceDefinition> } & (
  | { readonly variables: Readonly<Record<string, string>> }
  | { readonly malformed: MalformedUriError }
)

const NONE: Readonly<Record<string, string>> = Object.freeze({})

/** Resources by URI and resource templates by URI template, in one list. */
export class ResourceRegistry extends DefinitionRegistry<ResourceDefinition, ResourceRegistryListener> {
  readonly #updated = new Set<string>()
  readonly #updateDelayMs: number
  #updateTimer: NodeJS.Timeout | undefined

  constructor(options: RegistryOptions = {}) {
    super(options)
    this.#updateDelayMs = options.changeDelayMs ?? 50
  }

  /** Tells those who follow the resource that its contents have changed: once for a burst of changes, as `onChanged` is. */
  notifyUpdated(uri: string): void {
    this.#updated.add(uri)
    this.#updateTimer ??= setTimeout(() => this.#reportUpdates(), this.#updateDelayMs).unref()
  }

  #reportUpdates(): void {
    this.#updateTimer = undefined
    const uris = [...this.#updated]
    this.#updated.clear()
    this.listeners.tell(uris.map((uri) => (listener) => listener.onResourceUpdated?.(uri)))
  }

  /**
   * What the URI names: the resource of this URI, then each template that it fits, if only but for its escapes, in the order
   * of the list.
   * @internal
   */
  *matches(uri: string): Generator<ResourceMatch> {
    const exact = this.registered(uri)
    if (exact?.definition.template === undefined && exact !== undefined)
      yield { registered: exact, variables: NONE }
    for (const { template } of this.list()) {
      if (template === undefined) continue
      const found = valuesIn(template, uri)
      // Whoever looks at the matches may have removed it meanwhile.
      const registered = this.registered(template.text)
      if (found !== undefined && registered !== undefined) yield { registered, ...found }
    }
  }

  override keyOf({ uri, template }: ResourceDefinition): string {
    return uri ?? template?.text ?? ''
  }

  protected override requireValid(resource: ResourceDefinition): void {
    if (ResourceDefinition.is(resource)) return
    throw new TypeError(
      `A resource must be a ResourceDefinition, made with ResourceDefinition.builder() (got ${describe(resource)})`,
    )
  }

  protected override duplicate(uri: string, registeredBy: string, refused: string): Error {
    return new DuplicateToolError(uri, registeredBy, refused, { kind: 'resource' })
  }

  protected override notFound(uri: string): Error {
    return new ResourceNotFoundError(uri)
  }

  protected override tellRegistered(listener: ResourceRegistryListener, resource: ResourceDefinition) {
    return listener.onResourceRegistered?.(resource)
  }

  protected override tellReplaced(
    listener: ResourceRegistryListener,
    resource: ResourceDefinition,
    previous: ResourceDefinition,
  ) {
    return listener.onResourceReplaced?.(resource, previous)
  }

  protected override tellRemoved(listener: ResourceRegistryListener, resource: ResourceDefinition) {
    return listener.onResourceRemoved?.(resource)
  }
}

function valuesIn(template: UriTemplate, uri: string) {
  try {
    const variables = template.match(uri)
    return variables && { variables }
  } catch (thrown) {
    if (!(thrown instanceof MalformedUriError)) throw thrown
    return { malformed: thrown }
  }
}
