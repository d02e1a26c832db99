import { LONGEST_TIMER_MS } from '../../registry/idle-wait.js'
import type { StoredError } from '../results/stored-error.js'
import type { StoredResult } from '../results/stored-result.js'
import type { Lease, Store, StoreEntry } from '../stores/store.js'

/** What is known of a key. `args` is the digest of the arguments that it was used with. */
export type IdempotencyRecord = { readonly args: string } & IdempotencyState

export type IdempotencyState =
  /** Whoever runs it holds the lease of the key; when nobody does, whoever did is gone. */
  | { readonly state: 'running' }
  /** For the answer to a question, which comes with the next round of this call; `hasActed` in the rounds before. */
  | { readonly state: 'waiting'; readonly traceId: string; readonly hasActed: boolean }
  | { readonly state: 'done'; readonly result: StoredResult }
  | { readonly state: 'failed'; readonly error: StoredError }

/** A record as it was read, good for {@link IdempotencyRecords.claim}. */
export interface ReadRecord {
  readonly record: IdempotencyRecord
  readonly version: string
}

export interface IdempotencyRecordsOptions {
  readonly store: Store
  /** How long a record stays, in milliseconds. */
  readonly ttlMs: number
  /** Of the lease that its owner renews, in milliseconds. */
  readonly leaseMs: number
}

const DAY_MS = 86_400_000

/** The records of idempotency keys in a store, and who may change them: the one who holds the lease of the key. */
export class IdempotencyRecords {
  readonly #store: Store
  readonly #ttlMs: number
  readonly #leaseMs: number

  constructor({ store, ttlMs, leaseMs }: IdempotencyRecordsOptions) {
    this.#store = store
    this.#ttlMs = ttlMs
    this.#leaseMs = leaseMs
  }

  async read(key: string): Promise<ReadRecord | undefined> {
    const entry = await this.#store.get(key)
    // Nothing else is kept under these keys.
    return entry && { record: entry.value as unknown as IdempotencyRecord, version: entry.version }
  }

  /** Takes the key from what was read of it to `running`. Nothing while somebody else has it, or if it has changed. */
  async claim(
    key: string,
    args: string,
    read: ReadRecord | undefined,
  ): Promise<IdempotencyClaim | undefined> {
    const lease = await this.#store.lease(key, { ttlMs: this.#leaseMs })
    if (lease === undefined) return undefined
    try {
      // It must not expire while it runs: the lease says how long that is.
      const lifetime = { ttlMs: Math.max(this.#ttlMs, DAY_MS) }
      const running: IdempotencyRecord = { args, state: 'running' }
      const version =
        read === undefined
          ? await this.#store.set(key, running, { ...lifetime, ifAbsent: true })
          : await this.#store.compareAndSet(key, read.version, running, lifetime)
      if (version !== undefined) {
        const options = { store: this.#store, ttlMs: this.#ttlMs, leaseMs: this.#leaseMs }
        return new IdempotencyClaim(options, { key, args, lease, version, before: read?.record })
      }
    } catch (thrown) {
      await releaseQuietly(lease)
      throw thrown
    }
    await releaseQuietly(lease)
    return undefined
  }
}

/** A key that runs here: keeps its lease until it is released. */
export class IdempotencyClaim {
  /** What the record said when it was claimed. A `running` one has lost its owner, and nobody knows how far that came. */
  readonly before: IdempotencyRecord | undefined
  readonly #store: Store
  readonly #ttlMs: number
  readonly #key: string
  readonly #args: string
  readonly #lease: Lease
  readonly #version: StoreEntry['version']
  readonly #renewal: NodeJS.Timeout

  constructor(
    { store, ttlMs, leaseMs }: IdempotencyRecordsOptions,
    claimed: Pick<StoreEntry, 'version'> & {
      readonly key: string
      readonly args: string
      readonly lease: Lease
      readonly before: IdempotencyRecord | undefined
    },
  ) {
    this.#store = store
    this.#ttlMs = ttlMs
    this.#key = claimed.key
    this.#args = claimed.args
    this.#lease = claimed.lease
    this.#version = claimed.version
    this.before = claimed.before
    // One that fails is followed by others before the lease ends.
    const everyMs = Math.min(leaseMs / 3, LONGEST_TIMER_MS)
    this.#renewal = setInterval(() => void this.#lease.renew().catch(() => undefined), everyMs)
    this.#renewal.unref()
  }

  /** What has become of it; nothing frees the key. Throws where that cannot be kept: then the record still says `running`. */
  async end(state: IdempotencyState | undefined, ttlMs = this.#ttlMs): Promise<void> {
    const isKept =
      state === undefined
        ? await this.#store.compareAndDelete(this.#key, this.#version)
        : (await this.#store.compareAndSet(
            this.#key,
            this.#version,
            { args: this.#args, ...state },
            { ttlMs },
          )) !== undefined
    if (!isKept) throw new Error('The record of the idempotency key was changed by somebody else')
  }

  /** Lets others look at the record, and claim it if it still says `running`. Never fails. */
  async release(): Promise<void> {
    clearInterval(this.#renewal)
    await releaseQuietly(this.#lease)
  }
}

/** One that cannot be given back expires. */
async function releaseQuietly(lease: Lease): Promise<void> {
  try {
    await lease.release()
  } catch {}
}
