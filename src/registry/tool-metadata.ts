import { describe, frozenCopy, isObject } from './json-value.js'
import { listOfStrings } from './list-of-strings.js'
import { frozenVisibility, type Visibility } from './visibility.js'

/** MCP tool annotations: hints to a client about behaviour, never trusted for a decision of ours. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/**
 * What the author of a definition says about running it. Everything is optional; see {@link
 * ToolMetadata} for the defaults.
 */
export interface ToolMetadataInit {
  /** The team that answers for it. */
  readonly owner?: string
  readonly version?: string
  /** The deadline of one call, retries included. Default: the runtime's. */
  readonly timeoutMs?: number
  /** Calls a minute for each caller, where a `RateLimitInterceptor` guards it. Default: the interceptor's. */
  readonly rateLimit?: { readonly perMinute: number }
  readonly tags?: Iterable<string>
  /** Who may see it; everybody else is told that there is no such thing. Default: everybody. */
  readonly visibility?: Visibility
  /** The largest result, in characters of JSON, roughly. Default: the runtime's. */
  readonly maxResultSize?: number
  /**
   * What becomes of a larger result: an error that tells the model to ask for less (`refuse`, default), or a link to a
   * resource that holds it for a while, for this caller alone (`spill`). One with an output schema is always refused.
   */
  readonly largeResult?: 'refuse' | 'spill'
  /** `true`, or a sentence that says what to use instead. */
  readonly deprecated?: boolean | string
  /** Where to read more: name to URL, such as `{ runbook: 'https://…' }`. */
  readonly links?: Readonly<Record<string, string>>
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  /**
   * The executor hands `ctx.idempotencyKey` to a service that does the same work once for each key: then it may be
   * repeated, although it is not idempotent by itself. Default `false`.
   */
  readonly forwardsIdempotencyKey?: boolean
  /**
   * A call of it may go on as a task, whose caller looks in later: where the caller can do that (`optional`), or only so
   * (`required`). Default: never.
   */
  readonly task?: 'optional' | 'required'
}

/**
 * The operations layer of a tool: who owns it and how it may be run. Retry, cache and approval decide on this alone.
 *
 * Defaults follow MCP's `ToolAnnotations`: a tool that says nothing may write and destroy, and must not be repeated. For
 * a tool written in code an annotation counts as having said so; a tool from elsewhere passes no annotations here.
 */
export interface ToolMetadata extends Omit<ToolMetadataInit, 'tags'> {
  readonly tags: readonly string[]
  /** It changes nothing. Default `false`. */
  readonly readOnly: boolean
  /** It may delete or overwrite. Default: unless it is read-only. */
  readonly destructive: boolean
  /** Running it twice with the same arguments is the same as once. Default: if it is read-only. */
  readonly idempotent: boolean
}

/**
 * A deeply frozen copy of what an author says. Throws a `TypeError` that names the field of a value that makes no sense:
 * decisions about safety hang on them, and `readOnly: 'no'` would count as yes.
 */
export function metadataInit(given: ToolMetadataInit): ToolMetadataInit {
  if (!isObject(given)) throw new TypeError(`metadata must be an object (got ${describe(given)})`)
  const { tags, visibility, ...init } = given as ToolMetadataInit
  for (const name of ['readOnly', 'destructive', 'idempotent', 'forwardsIdempotencyKey'] as const)
    requireBoolean(`metadata.${name}`, init[name])
  requireTask(init.task)
  requireTimeout(init.timeoutMs)
  requireQuota(init.rateLimit)
  requireLargeResult(init)
  const said = {
    ...init,
    ...(tags !== undefined && { tags: [...new Set(listOfStrings(tags, 'metadata.tags'))] }),
  }
  if (visibility === undefined) return frozenCopy(said, 'metadata')
  return Object.freeze({ ...frozenCopy(said, 'metadata'), visibility: frozenVisibility(visibility) })
}

/** The effective, deeply frozen metadata. Throws as {@link metadataInit} does. */
export function toolMetadata(init: ToolMetadataInit = {}, annotations: ToolAnnotations = {}): ToolMetadata {
  const said = metadataInit(init)
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations
  const readOnly = said.readOnly ?? readOnlyHint ?? false
  return Object.freeze({
    ...said,
    tags: (said.tags as readonly string[] | undefined) ?? NO_TAGS,
    readOnly,
    destructive: said.destructive ?? destructiveHint ?? !readOnly,
    idempotent: said.idempotent ?? idempotentHint ?? readOnly,
  })
}

/** Running it again does no harm, whatever it has done before: the rule for every repeat. */
export function isRepeatable({
  idempotent,
  forwardsIdempotencyKey,
}: Pick<ToolMetadata, 'idempotent' | 'forwardsIdempotencyKey'>): boolean {
  return idempotent === true || forwardsIdempotencyKey === true
}

/** Nobody minds that it may have taken effect: it changes nothing, or twice is as good as once. */
export function isHarmless({ readOnly, idempotent }: Pick<ToolMetadata, 'readOnly' | 'idempotent'>): boolean {
  return readOnly === true || idempotent === true
}

const NO_TAGS: readonly string[] = Object.freeze([])

function requireBoolean(place: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return
  throw new TypeError(`${place} must be true or false (got ${describe(value)})`)
}

function requireTask(value: unknown): void {
  if (value === undefined || value === 'optional' || value === 'required') return
  throw new TypeError(`metadata.task must be 'optional' or 'required' (got ${describe(value)})`)
}

function requireTimeout(value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value > 0)) return
  throw new TypeError(`metadata.timeoutMs must be a positive number of milliseconds (got ${describe(value)})`)
}

function requireQuota(rateLimit: ToolMetadataInit['rateLimit']): void {
  if (rateLimit === undefined) return
  const perMinute: unknown = rateLimit?.perMinute
  if (Number.isInteger(perMinute) && Number(perMinute) >= 0) return
  throw new TypeError(
    `metadata.rateLimit.perMinute must be a whole number from 0 (got ${describe(perMinute)})`,
  )
}

function requireLargeResult({ maxResultSize, largeResult }: ToolMetadataInit): void {
  if (maxResultSize !== undefined && !(Number.isInteger(maxResultSize) && maxResultSize > 0)) {
    throw new TypeError(
      `metadata.maxResultSize must be a whole number from 1 (got ${describe(maxResultSize)})`,
    )
  }
  if (largeResult === undefined || largeResult === 'refuse' || largeResult === 'spill') return
  throw new TypeError(`metadata.largeResult must be 'refuse' or 'spill' (got ${describe(largeResult)})`)
}
