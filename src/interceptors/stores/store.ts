import type { ServiceIdentifier } from 'inversify'
import { hasBrand } from '../../registry/brand.js'
import type { JsonValue } from '../../registry/json-value.js'

const BRAND = Symbol.for('toolwire.StoreFullError')

/**
 * The shared memory of interceptors: what rate limits, quotas, caches, idempotency keys and approvals stand on.
 *
 * What every store promises, in one process or shared by many:
 * - Each method is one atomic step. Of any number of concurrent callers, one wins a `compareAndSet`, an `ifAbsent`, a
 *   `delete` or a `lease`, and `consume` never lets more through than the limit.
 * - Values are JSON. What is stored is a copy; what is read is read-only, and cannot be used to change what is stored.
 * - Nothing is dropped before its expiry unless it was set as `evictable`. When there is no room, the call rejects with
 *   {@link StoreFullError} and has changed nothing.
 * - Something that expires after n ms is there for n ms and gone at the n-th. The store's own clock counts (in one
 *   process a monotonic one, in a shared store the server's), in whole ms; the wall clock of a caller never matters.
 * - Values, windows and leases are separate key spaces. A key is a string that is not empty: see {@link storeKey}.
 *
 * A bad key rejects with a `TypeError`, a value that is not JSON with one that names the place, and a bad option with a
 * `RangeError`. A store holds no connection of its own: who opened one closes it.
 */
export interface Store {
  /** The live value of a key with its version, or undefined. */
  get(key: string): Promise<StoreEntry | undefined>

  /**
   * Stores a value and returns its version; with `ifAbsent` undefined, and nothing done, when the key has a live value.
   * Without `ttlMs` the value stays until it is deleted, also if the one before it had an expiry.
   */
  set(
    key: string,
    value: unknown,
    options?: SetOptions & { readonly ifAbsent?: boolean },
  ): Promise<string | undefined>

  /**
   * Stores a value if the key still has this version, and returns the new one; undefined, and nothing done, when it was
   * changed, deleted or has expired since. A version never comes again, also for an equal value.
   */
  compareAndSet(
    key: string,
    version: string,
    value: unknown,
    options?: SetOptions,
  ): Promise<string | undefined>

  /** Deletes the value of a key. True for the one caller whose call deleted a live value. */
  delete(key: string): Promise<boolean>

  /** Deletes the value of a key if it still has this version, and says whether it did. */
  compareAndDelete(key: string, version: string): Promise<boolean>

  /**
   * Counts a call in the sliding window of a key, or refuses it: in no stretch of `windowMs` more than `limit` pass. A
   * refused call does not count. The limit of a key may change from call to call, its `windowMs` stays the same.
   */
  consume(key: string, quota: Quota): Promise<Consumption>

  /** Takes the lease of a key, or returns undefined while somebody else holds it. */
  lease(key: string, options: { readonly ttlMs: number }): Promise<Lease | undefined>
}

/** Identifies the {@link Store} in the container. */
export const Store = Symbol.for('toolwire.Store') as ServiceIdentifier<Store>

/** A value as it was read. `version` is opaque, and good for `compareAndSet` and `compareAndDelete`. */
export interface StoreEntry {
  readonly value: JsonValue
  readonly version: string
}

export interface SetOptions {
  /** Lifetime in whole ms, at least 1. Default: no expiry. */
  readonly ttlMs?: number
  /**
   * The store may drop the value at any time to make room, and for that never rejects as full: right for a cache, wrong
   * for anything that a decision rests on. Default `false`.
   */
  readonly evictable?: boolean
}

export interface Quota {
  /** Calls that may pass in a window, a whole number; 0 refuses every call. */
  readonly limit: number
  /** Length of the window in whole ms, at least 1. */
  readonly windowMs: number
  /** How much of the limit the call takes, a whole number, at least 1. Default 1. */
  readonly cost?: number
}

export interface Consumption {
  readonly allowed: boolean
  /** What is left of the limit after this call, never below 0. */
  readonly remaining: number
  /**
   * 0 for an allowed call. For a refused one, the ms after which the same call passes if no other comes first; a call
   * that no wait can help (`limit` below `cost`) is told `windowMs`.
   */
  readonly retryAfterMs: number
}

/**
 * A key held by one owner until it is released or expires. Works with `await using`.
 *
 * A lease can be lost while its owner is busy, so whatever it guards should refuse a `token` lower than one it has seen.
 */
export interface Lease extends AsyncDisposable {
  readonly key: string
  /** Higher than the token of every earlier lease of this key (a fencing token). */
  readonly token: number
  /** Starts the expiry again, by default with the `ttlMs` it was taken with. False: the lease is lost. */
  renew(ttlMs?: number): Promise<boolean>
  /** Gives the key back. False when the lease was lost before; a later owner's lease is left alone. */
  release(): Promise<boolean>
}

/** There is no room, and nothing that may be dropped. For a caller of a tool this is `OVERLOADED`. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError'
  /** The earliest time at which something expires, if anything does. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options)
    this.retryAfterMs = options.retryAfterMs
  }

  get [BRAND](): true {
    return true
  }

  /** Holds for an error of another copy of this package too. */
  static is(error: unknown): error is StoreFullError {
    return hasBrand(error, BRAND)
  }
}

/** When a store that has failed may be of use again, in milliseconds: as it says itself, else in five seconds. */
export function retryAfterOf(failure: unknown): number {
  return (StoreFullError.is(failure) ? failure.retryAfterMs : undefined) ?? 5_000
}

/**
 * Joins parts to a key, such that different parts never give the same key; an absent part differs from an empty one.
 *
 * @example storeKey('rate-limit', principal.tenant, principal.subject, toolName)
 */
export function storeKey(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts)
}
