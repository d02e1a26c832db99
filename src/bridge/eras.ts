import type { Era, EraServer } from './era.js'
import type { EraSettings } from './era-settings.js'

/** The SDK of an era is loaded when its first client comes. To drop an era, delete its folder and its line. */
const LOADERS: Partial<Record<Era, (settings: EraSettings) => Promise<EraServer>>> = {
  legacy: async (settings) => new (await import('./sdk-v1/legacy-era.js')).LegacyEra(settings),
  modern: async (settings) => new (await import('./sdk-v2/modern-era.js')).ModernEra(settings),
}

/** The servers of the eras, each made when it is first needed. */
export class Eras {
  readonly #settings: EraSettings
  readonly #loading = new Map<Era, Promise<EraServer>>()
  readonly #loaded = new Set<EraServer>()
  #closed = false

  constructor(settings: EraSettings) {
    this.#settings = settings
  }

  get sessionCount(): number {
    return [...this.#loaded].reduce((count, { sessionCount }) => count + sessionCount, 0)
  }

  /** The server of an era; of the other one where this era is not served, which then says so in its own words. */
  async serverOf(era: Era): Promise<EraServer> {
    const served = LOADERS[era] === undefined ? otherThan(era) : era
    let loading = this.#loading.get(served)
    if (loading === undefined) {
      loading = this.#load(served)
      this.#loading.set(served, loading)
      loading.catch(() => this.#loading.delete(served))
    }
    return loading
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#loading.values())
    await Promise.all([...this.#loaded].map((server) => server.close()))
    this.#loaded.clear()
  }

  async #load(era: Era): Promise<EraServer> {
    if (this.#closed) throw new Error('The bridge is closed')
    const server = await LOADERS[era]?.(this.#settings)
    if (server === undefined) throw new Error(`The ${era} era is not served`)
    this.#loaded.add(server)
    return server
  }
}

function otherThan(era: Era): Era {
  return era === 'legacy' ? 'modern' : 'legacy'
}
