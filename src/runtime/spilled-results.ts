import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CallableDefinition } from '../registry/callable-definition.js'
import { ResourceDefinition } from '../registry/resource-definition.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import type { Call } from './call.js'

const TEMPLATE = 'toolwire://results/{id}'
/** All that are kept, in characters. */
const MAX_TOTAL = 64 * 1024 * 1024
const TTL_MS = 600_000

interface SpilledResult {
  readonly owner: string
  readonly text: string
}

/** Results that are too large to be sent as they are, kept for a while for the caller that they were made for. */
export class SpilledResults {
  /** Reads them. Whoever is not the caller is told that there is no such resource. */
  readonly resource: ResourceDefinition
  readonly #results = new LRUCache<string, SpilledResult>({
    maxSize: MAX_TOTAL,
    sizeCalculation: ({ text }) => text.length,
    ttl: TTL_MS,
  })

  constructor() {
    this.resource = ResourceDefinition.builder()
      .name('large_result')
      .description(
        'A result that was too large to be sent, as JSON: for the caller that it was made for, for ten minutes',
      )
      .uriTemplate(TEMPLATE)
      .mimeType('application/json')
      .metadata({ maxResultSize: MAX_TOTAL })
      .reader(({ args, callerKey }) => {
        const found = this.#results.get(args.id)
        return found?.owner === callerKey ? found.text : undefined
      })
      .build()
  }

  /** A result that links to this one; nothing where the tool does not ask for it, or it cannot be kept. */
  spill(
    call: Call,
    { metadata, output }: CallableDefinition,
    { value, content, meta }: ToolSuccess,
  ): ToolSuccess | undefined {
    if (metadata.largeResult !== 'spill' || output !== undefined || content !== undefined) return undefined
    const text = jsonOf(value)
    if (text === undefined || text.length > MAX_TOTAL) return undefined
    const id = randomUUID()
    this.#results.set(id, { owner: call.callerKey, text })
    const uri = TEMPLATE.replace('{id}', id)
    const note = `The result is too large to be shown: ${text.length} characters of JSON. Read the resource ${uri} within ten minutes, or ask for less.`
    const link = {
      type: 'resource_link',
      uri,
      name: 'large_result',
      mimeType: 'application/json',
      size: Buffer.byteLength(text),
    }
    return ToolExecutionResult.success(
      { uri, size: text.length },
      { content: [{ type: 'text', text: note }, link], ...call.stamp(), ...(meta && { meta }) },
    )
  }

  clear(): void {
    this.#results.clear()
  }
}

/** Undefined for what JSON cannot carry. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
