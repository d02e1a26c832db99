import type { DefinitionInit } from './definition-init.js'
import type { ToolIcon } from './descriptor.js'
import type { ToolInterceptor } from './tool-interceptor.js'
import type { ToolMetadataInit } from './tool-metadata.js'

/** What a builder has collected: the name may come last. */
export type Unnamed<Init extends DefinitionInit> = Omit<Init, 'name'> & Partial<Pick<Init, 'name'>>

/** The steps that the builders of resources and prompts share. Each returns a new builder. */
export abstract class DefinitionBuilder<Init extends DefinitionInit> {
  protected readonly init: Unnamed<Init>

  constructor(init: Unnamed<Init>) {
    this.init = init
  }

  /** A builder like this one, with a frozen copy of the change. */
  protected abstract step(change: Partial<DefinitionInit>): this

  /** One line that programs and lists call it by. */
  name(name: string): this {
    return this.step({ name })
  }

  /** What a person is shown; the name by default. */
  title(title: string): this {
    return this.step({ title })
  }

  /** What it is for, to a person or a model that chooses. */
  description(description: string): this {
    return this.step({ description })
  }

  icons(...icons: readonly ToolIcon[]): this {
    return this.step({ icons })
  }

  /** MCP's `_meta` of the definition; prefix your keys with a domain. */
  meta(meta: Readonly<Record<string, unknown>>): this {
    return this.step({ meta })
  }

  /** Adds to what was said of it before. */
  metadata(metadata: ToolMetadataInit): this {
    return this.step({ metadata })
  }

  /** Adds interceptors of this definition alone, inside those of its provider. */
  withInterceptor(...interceptors: readonly ToolInterceptor[]): this {
    return this.step({ interceptors: [...this.init.interceptors, ...interceptors] })
  }
}
