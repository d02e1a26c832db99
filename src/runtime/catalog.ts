import type { CallableDefinition } from '../registry/callable-definition.js'
import type { DefinitionRegistry } from '../registry/definition-registry.js'
import type { Descriptor } from '../registry/descriptor.js'
import type { Principal } from '../registry/principal.js'
import type { PromptDefinition } from '../registry/prompt-definition.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import type { ResourceDefinition } from '../registry/resource-definition.js'
import type { MalformedUriError } from '../registry/uri-template-error.js'
import { isVisibleTo, verdict } from '../registry/visibility.js'
import type { Registries } from './registries.js'

/** Who may see, and so call, what: for all definitions, beside what each says of itself (`metadata.visibility`). */
export type VisibilityRule = (target: Descriptor, principal: Principal | undefined) => boolean

/** Which definitions a door serves at all. */
export type ExposureRule = (target: Descriptor) => boolean

/** Whose view of the catalog it is. */
export interface Viewer {
  readonly principal?: Principal | undefined
  /** Leaves out what it does not return `true` for. */
  readonly exposes?: ExposureRule | undefined
}

export interface CatalogParts extends Registries {
  readonly rule: VisibilityRule | undefined
  /** Not subject to `exposes`: what the runtime itself serves. */
  readonly isOwn: (target: Descriptor) => boolean
  /** Hears of a rule that throws, or does not say `true` or `false`; what it should have decided on stays hidden. */
  readonly onRuleError: (error: unknown, target: Descriptor) => void
}

/** A resource that was found by its URI, with the values of its template's variables. */
export interface FoundResource {
  readonly registered: RegisteredDefinition
  readonly variables: Readonly<Record<string, string>>
}

/** Everything that is registered, as one caller sees it: what is hidden from it is as if it did not exist. */
export class Catalog {
  readonly #parts: CatalogParts
  /** Whether anything in a list is not for everybody. */
  readonly #restricted = new WeakMap<readonly CallableDefinition[], boolean>()

  constructor(parts: CatalogParts) {
    this.#parts = parts
  }

  tool(name: string, viewer: Viewer): RegisteredDefinition | undefined {
    return this.#seen(this.#parts.tools.registered(name), viewer)
  }

  prompt(name: string, viewer: Viewer): RegisteredDefinition<PromptDefinition> | undefined {
    return this.#seen(this.#parts.prompts.registered(name), viewer)
  }

  /**
   * The resource of this URI, else the first template, in the order of the list, that it fits. Throws a `MalformedUriError`
   * if it fits none but for its escapes; one that is hidden does not count in that either.
   */
  resource(uri: string, viewer: Viewer): FoundResource | undefined {
    let malformed: MalformedUriError | undefined
    for (const match of this.#parts.resources.matches(uri)) {
      if (this.#seen(match.registered, viewer) === undefined) continue
      if ('variables' in match) return match
      malformed ??= match.malformed
    }
    if (malformed !== undefined) throw malformed
    return undefined
  }

  /** The resource template of this text. */
  template(text: string, viewer: Viewer): RegisteredDefinition<ResourceDefinition> | undefined {
    const registered = this.#parts.resources.registered(text)
    return registered?.definition.template === undefined ? undefined : this.#seen(registered, viewer)
  }

  /** What the viewer sees of a registry's list: the list itself if nothing is hidden from anybody. */
  list<D extends CallableDefinition>(registry: DefinitionRegistry<D>, viewer: Viewer): readonly D[] {
    const all = registry.list()
    if (viewer.exposes === undefined && !this.variesByPrincipal(registry)) return all
    return all.filter((definition) => this.#sees(definition, viewer))
  }

  /** Whether two principals may see different lists. */
  variesByPrincipal<D extends CallableDefinition>(registry: DefinitionRegistry<D>): boolean {
    if (this.#parts.rule !== undefined) return true
    const all = registry.list()
    const known = this.#restricted.get(all)
    if (known !== undefined) return known
    const restricted = all.some(({ metadata }) => metadata.visibility !== undefined)
    this.#restricted.set(all, restricted)
    return restricted
  }

  #seen<D extends CallableDefinition>(
    registered: RegisteredDefinition<D> | undefined,
    viewer: Viewer,
  ): RegisteredDefinition<D> | undefined {
    return registered !== undefined && this.#sees(registered.definition, viewer) ? registered : undefined
  }

  #sees(target: CallableDefinition, { principal, exposes }: Viewer): boolean {
    const { rule, isOwn, onRuleError } = this.#parts
    const { visibility } = target.metadata
    if (visibility === undefined && rule === undefined && exposes === undefined) return true
    try {
      return (
        isVisibleTo(visibility, principal) &&
        (rule === undefined || verdict(rule(target, principal))) &&
        (exposes === undefined || isOwn(target) || verdict(exposes(target)))
      )
    } catch (error) {
      onRuleError(error, target)
      return false
    }
  }
}
