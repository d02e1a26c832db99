import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import { nameOf } from './chain.js'

/** Whose interceptor it is: everybody's, one provider's, or one tool's. Outermost first. */
export type InterceptorScope = 'shared' | 'provider' | 'tool'

/** An interceptor in its place around a tool. */
export interface ArrangedInterceptor {
  readonly interceptor: ToolInterceptor
  readonly name: string
  readonly ring: 'request' | 'execution'
  readonly scope: InterceptorScope
  readonly order: number
}

/**
 * All interceptors of a tool as they run, outermost first: the request ring before the execution ring; within a ring the
 * shared ones, then the provider's, then the tool's; within a scope by `order`, then as registered. Mandatory ones stand
 * with the shared ones, wherever they come from. An instance that is there twice runs once, at its outermost place.
 */
export function arrange(
  scopes: Readonly<Record<InterceptorScope, readonly ToolInterceptor[]>>,
  isMandatory: (interceptor: ToolInterceptor) => boolean = () => false,
): readonly ArrangedInterceptor[] {
  const all = RANKED.flatMap((scope) =>
    scopes[scope].map(
      (interceptor): ArrangedInterceptor => ({
        interceptor,
        name: nameOf(interceptor),
        ring: ringOf(interceptor),
        scope: isMandatory(interceptor) ? 'shared' : scope,
        order: interceptor.order ?? 0,
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

/** A misspelt ring would be in neither, and its interceptor around nothing. */
function ringOf(interceptor: ToolInterceptor): ArrangedInterceptor['ring'] {
  const { ring = 'execution' } = interceptor
  if (ring === 'request' || ring === 'execution') return ring
  throw new TypeError(
    `${nameOf(interceptor)}: ring must be 'request' or 'execution' (got ${JSON.stringify(ring)})`,
  )
}
