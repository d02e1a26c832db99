import type { CallableDefinition } from '../registry/callable-definition.js'
import type { Era } from './era.js'
import { INVALID_PARAMS, JsonRpcError } from './json-rpc.js'

/** One page of a list. */
export interface DefinitionPage {
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly nextCursor?: string
}

export interface DefinitionPagesOptions<D> {
  readonly pageSize: number
  /** What the list is in the order of; unique. */
  readonly keyOf: (definition: D) => string
  readonly toJson: (definition: D, era: Era) => Readonly<Record<string, unknown>>
}

interface CachedPages<D> {
  readonly list: readonly D[]
  readonly pages: Map<number, DefinitionPage>
}

/**
 * A list of a registry in pages. The objects are made once for each state of the list, not for each request.
 *
 * A cursor names the last item of its page, so it stays good when items come and go: paging ends, and shows every item that
 * was there all the time exactly once.
 */
export class DefinitionPages<D extends CallableDefinition> {
  readonly #options: DefinitionPagesOptions<D>
  readonly #cache = new Map<Era, CachedPages<D>>()

  constructor(options: DefinitionPagesOptions<D>) {
    const { pageSize } = options
    if (!Number.isInteger(pageSize) || pageSize < 1) {
      throw new TypeError(`pageSize must be a whole number from 1 (got ${pageSize})`)
    }
    this.#options = options
  }

  /** Throws a {@link JsonRpcError} for a cursor that this list did not give out. */
  page(list: readonly D[], cursor: unknown, era: Era): DefinitionPage {
    const from = cursor === undefined ? 0 : this.#firstAfter(list, readCursor(cursor))
    const { pages } = this.#cached(list, era)
    const known = pages.get(from)
    if (known !== undefined) return known
    const page = this.#build(list, from, era)
    // Pages that only a cursor from before a change asks for are not worth keeping.
    if (from % this.#options.pageSize === 0) pages.set(from, page)
    return page
  }

  #cached(list: readonly D[], era: Era): CachedPages<D> {
    const cached = this.#cache.get(era)
    if (cached?.list === list) return cached
    const fresh = { list, pages: new Map<number, DefinitionPage>() }
    this.#cache.set(era, fresh)
    return fresh
  }

  #build(list: readonly D[], from: number, era: Era): DefinitionPage {
    const { pageSize, toJson, keyOf } = this.#options
    const shown = list.slice(from, from + pageSize)
    const last = from + shown.length < list.length ? shown.at(-1) : undefined
    const items = Object.freeze(shown.map((definition) => Object.freeze(toJson(definition, era))))
    return Object.freeze({ items, ...(last && { nextCursor: writeCursor(keyOf(last)) }) })
  }

  /** Binary search: the index of the first item that comes after `key`. */
  #firstAfter(list: readonly D[], key: string): number {
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      const candidate = list[middle]
      if (candidate !== undefined && this.#options.keyOf(candidate) <= key) low = middle + 1
      else high = middle
    }
    return low
  }
}

const PREFIX = 'after '
/** Longer than the key of any definition. */
const MAX_CURSOR = 20_000

function writeCursor(key: string): string {
  return Buffer.from(PREFIX + key).toString('base64url')
}

function readCursor(cursor: unknown): string {
  if (typeof cursor === 'string' && cursor.length <= MAX_CURSOR) {
    const text = Buffer.from(cursor, 'base64url').toString()
    const key = text.slice(PREFIX.length)
    if (text.startsWith(PREFIX) && key !== '' && writeCursor(key) === cursor) return key
  }
  throw new JsonRpcError(
    INVALID_PARAMS,
    'Invalid cursor: pass a nextCursor as it was received, or none for the first page',
  )
}
