import type { AskCapability } from '../registry/ask-capability.js'

/** What a client answered in an earlier round. */
export interface RoundAnswer {
  /** `digest` of the question that it was shown: it answers that one alone. */
  readonly questionDigest: string
  /** As the client sent it. */
  readonly answer: unknown
}

/** One run of a call that ends where it asks, and is run again with the answer (MCP 2026-07-28 `input_required`). */
export interface CallRound {
  /** From 1. */
  readonly number: number
  /** By the key of the question. */
  readonly answers: Readonly<Record<string, RoundAnswer>>
  /** Results of `ctx.once` in earlier rounds. */
  readonly steps: Readonly<Record<string, unknown>>
  /** Of the call, in all its rounds; undefined in the first. */
  readonly idempotencyKey?: string | undefined
  /** Of the client. */
  readonly supports: (capability: AskCapability) => boolean
}
