import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CallableDefinition } from '../registry/callable-definition.js'
import { ResourceDefinition } from '../registry/resource-definition.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import { UriTemplate } from '../registry/uri-template.js'
import type { CallRun } from './call-run.js'
import { checkResult } from './result-check.js'

const TEMPLATE = UriTemplate.parse('toolwire://results/{id}')
/** All that are kept, in characters. */
const MAX_TOTAL = 64 * 1024 * 1024
/** Those of one owner, in characters: one caller must not push out what others were promised. */
const MAX_SHARE = MAX_TOTAL / 4
/** Of what goes along with the link, in characters. */
const MAX_META = 10_000
const TTL_MS = 600_000

interface SpilledResult {
  readonly owner: string
  readonly text: string
}

/** What is kept for one owner. */
interface Share {
  /** In characters. */
  size: number
  /** The oldest first. */
  readonly ids: Set<string>
}

/** Results that are too large to be sent as they are, kept for a while for the caller that they were made for. */
export class SpilledResults {
  readonly template = TEMPLATE.text
  /** Reads them. Whoever is not the caller is told that there is no such resource. */
  readonly resource: ResourceDefinition
  readonly #results = new LRUCache<string, SpilledResult>({
    maxSize: MAX_TOTAL,
    sizeCalculation: ({ text }) => text.length,
    ttl: TTL_MS,
    ttlAutopurge: true,
    // The clock of all other times here; lru-cache has its own from when it was loaded.
    perf: performance,
    dispose: (result, id) => this.#release(id, result),
  })
  /** By owner. */
  readonly #shares = new Map<string, Share>()

  constructor() {
    this.resource = ResourceDefinition.builder()
      .name('large_result')
      .description(
        'A result that was too large to be sent, as JSON: for the caller that it was made for, for up to ten minutes',
      )
      .uriTemplate(TEMPLATE.text)
      .mimeType('application/json')
      .metadata({ maxResultSize: MAX_TOTAL })
      .reader(({ args, callerKey }) => {
        const found = this.#results.get(args.id)
        return found?.owner === callerKey ? found.text : undefined
      })
      .build()
  }

  /**
   * A result that links to this one; nothing where the tool does not ask for it, or it cannot be kept. Throws an
   * `InvalidResultError` for what JSON cannot carry.
   */
  spill(call: CallRun, definition: CallableDefinition, result: ToolSuccess): ToolSuccess | undefined {
    const { metadata, outputSchema, kind, name } = definition
    const { value, content, meta, degraded } = result
    // What a resource holds and a prompt says is of a form of its own.
    if (call.kind !== 'tool' || metadata.largeResult !== 'spill') return undefined
    if (outputSchema !== undefined || content !== undefined) return undefined
    // So far only a part of it has been looked at.
    checkResult({ name, kind }, result, { validate: undefined, maxSize: MAX_SHARE })
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined || text.length > MAX_SHARE) return undefined
    if (meta !== undefined && JSON.stringify(meta).length > MAX_META) return undefined
    const id = randomUUID()
    this.#keep(id, { owner: call.callerKey, text })
    const uri = TEMPLATE.expand({ id })
    const note = `The result is too large to be shown: ${text.length} characters of JSON. Read the resource ${uri}, which is kept for up to ten minutes, or ask for less.`
    const link = {
      type: 'resource_link',
      uri,
      name: 'large_result',
      mimeType: 'application/json',
      size: Buffer.byteLength(text),
    }
    return ToolExecutionResult.success(
      { uri, size: text.length },
      {
        content: [{ type: 'text', text: note }, link],
        spilled: true,
        ...call.stamp(),
        ...(meta && { meta }),
        ...(degraded && { degraded }),
      },
    )
  }

  clear(): void {
    this.#results.clear()
  }

  /** An owner whose share is full loses its own oldest; the oldest of all goes only when there is no room left at all. */
  #keep(id: string, result: SpilledResult): void {
    const { owner, text } = result
    const share = this.#shares.get(owner) ?? { size: 0, ids: new Set() }
    for (const oldest of share.ids) {
      if (share.size + text.length <= MAX_SHARE) break
      this.#results.delete(oldest)
    }
    this.#results.set(id, result)
    share.size += text.length
    share.ids.add(id)
    // Also a share that was there: it goes with the last that is released.
    this.#shares.set(owner, share)
  }

  #release(id: string, { owner, text }: SpilledResult): void {
    const share = this.#shares.get(owner)
    if (!share?.ids.delete(id)) return
    share.size -= text.length
    if (share.ids.size === 0) this.#shares.delete(owner)
  }
}
