import { randomUUID } from 'node:crypto'
import { MemoryStore } from '../interceptors/stores/memory-store.js'
import { retryAfterOf, type Store, storeKey } from '../interceptors/stores/store.js'
import { type DefinitionKind, subjectOf } from '../registry/definition-kind.js'
import { digest } from '../registry/fingerprint.js'
import type { JsonValue } from '../registry/json-value.js'
import { OverloadedError, ToolExecutionError } from '../registry/tool-error.js'
import { INVALID_PARAMS, JsonRpcError } from './json-rpc.js'
import { type RequestStateKey, sealingKeys } from './request-state-key.js'

export interface RequestStatesOptions {
  /**
   * Seals the states. Processes that share their clients need the same key, and one `store`. Of several keys the first
   * seals and all open, so that a key can be replaced while states are on their way. Default: a random one.
   */
  readonly key?: RequestStateKey | readonly RequestStateKey[]
  /** How long a client may take to answer, in whole milliseconds. Default 600 000 (ten minutes). */
  readonly ttlMs?: number
  /** Remembers which states were used. Default: a `MemoryStore` of its own. */
  readonly store?: Store
}

/** What a call takes along from one round to the next. */
export interface RoundState {
  /** The round that begins when the state comes back. The first round, which needs no state, is 1. */
  readonly round: number
  /** The answers so far, by the key of their question. */
  readonly answers: Readonly<Record<string, { readonly questionDigest: string; readonly answer: JsonValue }>>
  /** What `ctx.once` keeps, by key. */
  readonly steps: Readonly<Record<string, JsonValue>>
  /** Of the call, in all its rounds. */
  readonly traceId: string
  readonly idempotencyKey: string
  /** What is left of the call's time, in milliseconds. */
  readonly remainingMs: number
  /** Of the questions that are open, by key. */
  readonly openDigests: Readonly<Record<string, string>>
}

/** What a state belongs to: it opens for the same call of the same caller, and for nothing else. */
export interface RoundBinding {
  readonly callerKey: string
  readonly kind: DefinitionKind
  readonly name: string
  /** `fingerprint` of the definition, so that a state does not outlive what the user was asked about. */
  readonly fingerprint: string
  /** `digest` of the arguments. */
  readonly argsDigest: string
}

/** What is under the seal. */
interface SealedState {
  readonly id: string
  readonly boundTo: string
  /** In milliseconds since 1970: another process may open it. */
  readonly expiresAt: number
  readonly content: RoundState
}

const MAX_ROUNDS = 8
const MAX_BYTES = 64 * 1024
/** Room for `MAX_BYTES` in base64, and what is around them. */
const MAX_TEXT = 100_000

/**
 * The `requestState` of calls that wait for an answer (MCP 2026-07-28, `input_required`). The client carries it and can
 * neither read nor change it (JWE, `dir` with A256GCM); it opens once, before it expires, for the call that it was sealed
 * for.
 */
export class RequestStates {
  readonly #keys: readonly Uint8Array[]
  readonly #ttlMs: number
  readonly #store: Store

  constructor({ key, ttlMs = 600_000, store = new MemoryStore() }: RequestStatesOptions = {}) {
    if (!Number.isSafeInteger(ttlMs) || ttlMs < 1) {
      throw new RangeError(`ttlMs of a requestState must be a whole number from 1 (got ${ttlMs})`)
    }
    this.#keys = sealingKeys(key)
    this.#ttlMs = ttlMs
    this.#store = store
  }

  /** Two seals of the same content differ. Rejects with a `ToolError` if the call has asked too often or keeps too much. */
  async seal(content: RoundState, binding: RoundBinding): Promise<string> {
    requireFewRounds(content, binding)
    requireLittle(content, binding)
    const sealed: SealedState = {
      id: randomUUID(),
      boundTo: digestOf(binding),
      expiresAt: Date.now() + this.#ttlMs,
      content,
    }
    const { CompactEncrypt } = await import('jose')
    return new CompactEncrypt(Buffer.from(JSON.stringify(sealed)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#keys[0] as Uint8Array) // there is always one
  }

  /**
   * Gives back what was sealed, once: of two that open the same state, one gets it. Rejects with a `JsonRpcError` if it is
   * not a state of this call, and with `OVERLOADED` if the store cannot say whether it was used.
   */
  async open(text: unknown, binding: RoundBinding): Promise<RoundState> {
    const sealed = await this.#unseal(text)
    // One sentence for all of it: which check failed would tell a stranger what the state holds.
    if (sealed === undefined || sealed.boundTo !== digestOf(binding)) {
      throw refusal('does not belong to this request: send the one of its last result as it is')
    }
    if (Date.now() >= sealed.expiresAt) throw refusal('has expired: make the request again without it')
    if (!(await this.#useUp(sealed.id, binding))) {
      throw refusal('has been used: make the request again without it')
    }
    return sealed.content
  }

  async #unseal(text: unknown): Promise<SealedState | undefined> {
    if (typeof text !== 'string' || text.length > MAX_TEXT || !isCanonical(text)) return undefined
    const { compactDecrypt } = await import('jose')
    for (const key of this.#keys) {
      try {
        const { plaintext } = await compactDecrypt(text, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        })
        return JSON.parse(new TextDecoder().decode(plaintext))
      } catch {
        // Sealed with another key, or by somebody else.
      }
    }
    return undefined
  }

  async #useUp(id: string, { name, kind }: RoundBinding): Promise<boolean> {
    try {
      const key = storeKey('request-state', id)
      return (await this.#store.consume(key, { limit: 1, windowMs: this.#ttlMs })).allowed
    } catch (cause) {
      throw new OverloadedError(name, retryAfterOf(cause), { kind, cause })
    }
  }
}

function requireFewRounds({ round }: RoundState, { name, kind }: RoundBinding): void {
  if (round <= MAX_ROUNDS) return
  const subject = subjectOf(name, { kind })
  throw new ToolExecutionError(`${subject} asked in more than ${MAX_ROUNDS} rounds, and was ended`)
}

function requireLittle(content: RoundState, { name, kind }: RoundBinding): void {
  const bytes = Buffer.byteLength(JSON.stringify(content))
  if (bytes <= MAX_BYTES) return
  throw new ToolExecutionError(
    `${subjectOf(name, { kind })} keeps ${bytes} bytes of answers and ctx.once results while it asks, more than ` +
      `${MAX_BYTES}: return less from ctx.once, such as an id of what is stored elsewhere`,
  )
}

function digestOf({ callerKey, kind, name, fingerprint, argsDigest }: RoundBinding): string {
  return digest([callerKey, kind, name, fingerprint, argsDigest])
}

/** Base64url has more than one text for the same bytes; a state has one alone. */
function isCanonical(text: string): boolean {
  return text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function refusal(what: string): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, `The requestState ${what}`)
}
