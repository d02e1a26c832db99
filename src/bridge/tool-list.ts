import type { ToolDescriptor } from '../registry/tool-descriptor.js'
import type { ToolRegistry } from '../registry/tool-registry.js'
import type { Era } from './era.js'
import { INVALID_PARAMS, JsonRpcError } from './json-rpc.js'

/** The result of `tools/list`. */
export interface ToolPage {
  readonly tools: readonly Readonly<Record<string, unknown>>[]
  readonly nextCursor?: string
}

/**
 * The registry in pages, by name. The objects are made once for each state of the registry, not for each request.
 *
 * A cursor names the last tool of its page, so it stays good when tools come and go: paging ends, and shows every tool
 * that was there all the time exactly once.
 */
export class ToolList {
  readonly #registry: ToolRegistry
  readonly #pageSize: number
  readonly #cache = new Map<
    Era,
    { readonly list: readonly ToolDescriptor[]; readonly pages: Map<number, ToolPage> }
  >()

  constructor(registry: ToolRegistry, pageSize: number) {
    if (!Number.isInteger(pageSize) || pageSize < 1) {
      throw new TypeError(`pageSize must be a whole number from 1 (got ${pageSize})`)
    }
    this.#registry = registry
    this.#pageSize = pageSize
  }

  /** Throws a {@link JsonRpcError} for a cursor that this list did not give out. */
  page(cursor: unknown, era: Era): ToolPage {
    const list = this.#registry.list()
    const from = cursor === undefined ? 0 : firstAfter(list, readCursor(cursor))
    const { pages } = this.#cached(list, era)
    const known = pages.get(from)
    if (known !== undefined) return known
    const page = this.#build(list, from, era)
    // Pages that only a cursor from before a change asks for are not worth keeping.
    if (from % this.#pageSize === 0) pages.set(from, page)
    return page
  }

  #cached(list: readonly ToolDescriptor[], era: Era) {
    const cached = this.#cache.get(era)
    if (cached?.list === list) return cached
    const fresh = { list, pages: new Map<number, ToolPage>() }
    this.#cache.set(era, fresh)
    return fresh
  }

  #build(list: readonly ToolDescriptor[], from: number, era: Era): ToolPage {
    const shown = list.slice(from, from + this.#pageSize)
    const last = from + shown.length < list.length ? shown.at(-1) : undefined
    const tools = Object.freeze(shown.map((tool) => Object.freeze(toolJson(tool, era))))
    return Object.freeze({ tools, ...(last && { nextCursor: writeCursor(last.name) }) })
  }
}

/** Whether the client of this era can be shown the tool's `outputSchema`: before 2026-07-28 its root is an object. */
export function showsOutputSchema({ outputSchema }: ToolDescriptor, era: Era): boolean {
  return outputSchema !== undefined && (era === 'modern' || outputSchema.type === 'object')
}

function toolJson(tool: ToolDescriptor, era: Era): Record<string, unknown> {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, meta } = tool
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(showsOutputSchema(tool, era) && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { _meta: meta }),
  }
}

const CURSOR = /^after ([A-Za-z0-9_.-]{1,128})$/

function writeCursor(name: string): string {
  return Buffer.from(`after ${name}`).toString('base64url')
}

function readCursor(cursor: unknown): string {
  const name =
    typeof cursor === 'string' ? CURSOR.exec(Buffer.from(cursor, 'base64url').toString())?.[1] : undefined
  if (name === undefined || writeCursor(name) !== cursor) {
    throw new JsonRpcError(
      INVALID_PARAMS,
      'Invalid cursor: pass a nextCursor as it was received, or none for the first page',
    )
  }
  return name
}

/** Binary search: the index of the first tool that comes after `name`. */
function firstAfter(list: readonly ToolDescriptor[], name: string): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const candidate = list[middle]
    if (candidate !== undefined && candidate.name <= name) low = middle + 1
    else high = middle
  }
  return low
}
