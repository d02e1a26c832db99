import type { ToolInterceptor } from './tool-interceptor.js'

/** Several definitions, now or later. */
export type Definitions<D> = Iterable<D> | AsyncIterable<D> | Promise<Iterable<D>>

/** Brings definitions of one kind into the runtime. Asked once at each `runtime.start()`. */
export interface DefinitionProvider<D> {
  /** Names the source in errors and logs; the class name by default. */
  readonly name?: string
  /** Put around all that this provider brings, inside the shared ones. */
  readonly interceptors?: readonly ToolInterceptor[]
  provide(): Definitions<D>
}
