import { type ArrangedInterceptor, arrange } from '../interceptors/arrangement.js'
import type { CallableDefinition, DefinitionAlternative } from '../registry/callable-definition.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import { ToolUnavailableError } from '../registry/tool-error.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import { type Route, type RouteOptions, routeTo } from './route.js'

export interface RoutesOptions extends RouteOptions {
  /** Around every definition, and around calls of what does not exist. */
  readonly interceptors: readonly ToolInterceptor[]
  readonly isMandatory: (interceptor: ToolInterceptor) => boolean
}

/** The routes to all that is registered, each made when it is first needed. */
export class Routes {
  readonly #options: RoutesOptions
  readonly #routes = new WeakMap<RegisteredDefinition, Route>()

  constructor(options: RoutesOptions) {
    this.#options = options
  }

  to(registered: RegisteredDefinition): Route {
    const known = this.#routes.get(registered)
    if (known !== undefined) return known
    const route = this.#make(registered)
    this.#routes.set(registered, route)
    return route
  }

  /** The interceptors that a definition would run with, outermost first; with an alternative of it, those of both. */
  arrange(
    { interceptors: own }: Pick<CallableDefinition, 'interceptors'>,
    ofProvider: readonly ToolInterceptor[] = [],
    alternative?: DefinitionAlternative,
  ): readonly ArrangedInterceptor[] {
    const { interceptors, isMandatory } = this.#options
    const tool = alternative === undefined ? own : [...own, ...alternative.definition.interceptors]
    return arrange({ shared: interceptors, provider: ofProvider, tool }, isMandatory)
  }

  isMandatory(interceptor: ToolInterceptor): boolean {
    return this.#options.isMandatory(interceptor)
  }

  /** Compiles the schemas of definitions, and of their alternatives. Returns what this shows to be unusable. */
  compile(registered: readonly RegisteredDefinition[]): readonly ToolUnavailableError[] {
    const ways = registered
      .map((one) => this.to(one))
      .flatMap<Route>((route) => route.alternatives ?? [route])
    return ways.flatMap(({ validators }) => {
      try {
        validators.compile()
        return []
      } catch (thrown) {
        if (!(thrown instanceof ToolUnavailableError)) throw thrown
        return [thrown]
      }
    })
  }

  #make({ definition, source }: RegisteredDefinition): Route {
    const route = routeTo(definition, this.arrange(definition, source.interceptors), this.#options)
    if (definition.alternatives === undefined) return route
    const alternatives = definition.alternatives.map((alternative) => {
      const arranged = this.arrange(definition, source.interceptors, alternative)
      return { ...routeTo(definition, arranged, this.#options, alternative), alternative }
    })
    return { ...route, alternatives }
  }
}
