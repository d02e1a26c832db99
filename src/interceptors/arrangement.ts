import { describe } from '../registry/json-value.js'
import { interceptorName, type ToolInterceptor } from '../registry/tool-interceptor.js'

/** Whose interceptor it is: everybody's, one provider's, or one definition's own. Outermost first. */
export type InterceptorScope = 'shared' | 'provider' | 'tool'

/** An interceptor in its place around a definition. */
export interface ArrangedInterceptor {
  readonly interceptor: ToolInterceptor
  readonly name: string
  readonly ring: 'request' | 'execution'
  readonly scope: InterceptorScope
  readonly order: number
}

/**
 * All interceptors of a definition as they run, outermost first: the request ring before the execution ring;
 * within a ring the shared ones, then the provider's, then its own; within a scope by `order`, then as
 * registered. Mandatory ones stand with the shared ones, wherever they come from. An instance that is there twice
 * runs once, at its outermost place.
 */
export function arrange(
  scopes: Readonly<Record<InterceptorScope, readonly ToolInterceptor[]>>,
  isMandatory: (interceptor: ToolInterceptor) => boolean = () => false,
): readonly ArrangedInterceptor[] {
  const all = RANKED.flatMap((scope) =>
    scopes[scope].map(
      (interceptor): ArrangedInterceptor => ({
        interceptor,
        ring: ringOf(interceptor),
        name: interceptorName(interceptor),
        scope: isMandatory(interceptor) ? 'shared' : scope,
        order: orderOf(interceptor),
      }),
    ),
  )
  const rank = ({ ring, scope }: ArrangedInterceptor) =>
    (ring === 'request' ? 0 : RANKED.length) + RANKED.indexOf(scope)
  all.sort((a, b) => rank(a) - rank(b) || a.order - b.order)
  const seen = new Set<ToolInterceptor>()
  return all.filter(({ interceptor }) => !seen.has(interceptor) && seen.add(interceptor))
}

const RANKED: readonly InterceptorScope[] = ['shared', 'provider', 'tool']

/** A misspelt ring would be in neither, and its interceptor around nothing. So would a class in place of its instance. */
function ringOf(interceptor: ToolInterceptor): ArrangedInterceptor['ring'] {
  if (typeof interceptor !== 'object') {
    throw new TypeError(`${describe(interceptor)} is no interceptor: give an instance, not the class`)
  }
  const { ring = 'execution' } = interceptor
  if (ring === 'request' || ring === 'execution') return ring
  throw new TypeError(
    `${interceptorName(interceptor)}: ring must be 'request' or 'execution' (got ${JSON.stringify(ring)})`,
  )
}

function orderOf(interceptor: ToolInterceptor): number {
  const { order = 0 } = interceptor
  if (typeof order === 'number' && !Number.isNaN(order)) return order
  throw new TypeError(`${interceptorName(interceptor)}: order must be a number (got ${describe(order)})`)
}
