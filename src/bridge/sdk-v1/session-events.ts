import type { EventStore as SdkEventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Logger } from '../../interceptors/logger.js'
import { endsStream } from '../event-store.js'
import { errorAnswer, type HttpAnswer } from '../http-exchange.js'
import { SERVER_ERROR } from '../json-rpc.js'
import type { Resumability } from '../resumability.js'
import { cursorEvent, messageEvent } from './event-stream.js'
import { polledStream } from './polled-stream.js'

export interface SessionEventsOptions {
  readonly sessionId: string
  readonly resumability: Resumability
  readonly logger: Logger
}

/**
 * Keeps what the SDK 1.x transport of one session sends, and resumes its streams. Left to itself the SDK can lose an event
 * that is sent just while its stream is resumed, lets a client forget its place that comes back to a silent stream, and
 * keeps a stream open although its answer was sent. So here appending to a stream and resuming it take turns, a resumed
 * stream begins with its place, and one that has ended is answered without the SDK.
 */
export class SessionEvents implements SdkEventStore {
  readonly #sessionId: string
  readonly #resumability: Resumability
  readonly #logger: Logger
  /** Streams whose end has not been kept, and whether they are response streams that their clients know how to resume. */
  readonly #running = new Map<string, boolean>()
  /** The last that waits for its turn, by stream. */
  readonly #turns = new Map<string, Promise<void>>()
  #isFailing = false
  #ending: Promise<void> | undefined

  constructor({ sessionId, resumability, logger }: SessionEventsOptions) {
    this.#sessionId = sessionId
    this.#resumability = resumability
    this.#logger = logger
  }

  /** For the SDK: keeps what it is about to send. A stream begins with an empty message if its client can resume it. */
  storeEvent(stream: string, message: JSONRPCMessage | Record<string, never>): Promise<string> {
    return this.#inTurn(stream, async () => {
      const isEnd = endsStream(message)
      if (!isEnd && !this.#running.has(stream)) this.#running.set(stream, !('jsonrpc' in message))
      try {
        return await this.#append(stream, message)
      } finally {
        if (isEnd) this.#running.delete(stream)
      }
    })
  }

  /**
   * For the SDK, which without `getStreamIdForEventId` lets a second resumption take over from the first: that one's client
   * may be gone without having said so.
   */
  async replayEventsAfter(
    eventId: string,
    { send }: { readonly send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const { store } = this.#resumability
    const stream = await store.replayAfter(this.#sessionId, eventId, (id, message) =>
      send(id, message as JSONRPCMessage),
    )
    if (stream === undefined) throw new Error('The event has been dropped')
    return stream
  }

  /** Answers a client that has lost a stream after this event. `transport` has the SDK answer it. */
  async resume(
    eventId: string,
    transport: () => Promise<HttpAnswer>,
    { primes }: { readonly primes: boolean },
  ): Promise<HttpAnswer> {
    const stream = await this.#resumability.store.streamOf(this.#sessionId, eventId)
    if (stream === undefined) return lost()
    return this.#inTurn(stream, async () => {
      const isCall = this.#running.get(stream)
      if (isCall === undefined) return this.#rest(eventId)
      const answer = await transport()
      // The SDK's clients know their place from what this connection has brought them, not from the one before.
      const head = primes ? cursorEvent(eventId, this.#resumability.retryMs) : ''
      return this.#polled(answer, { head, isCall })
    })
  }

  /** The answer to a call of a client that knows how to resume its stream. */
  polled(answer: HttpAnswer): HttpAnswer {
    return this.#polled(answer, { head: '', isCall: true })
  }

  /** Forgets the session's events; nothing is kept from now on. */
  end(): Promise<void> {
    this.#ending ??= this.#drop()
    return this.#ending
  }

  async #drop(): Promise<void> {
    await Promise.all(this.#turns.values())
    try {
      await this.#resumability.store.drop(this.#sessionId)
    } catch (error) {
      this.#logger.warn({ err: error }, 'The events of an MCP session were not dropped')
    }
  }

  /** Sending goes on without a store: a client that keeps its connection misses nothing. */
  async #append(stream: string, message: object): Promise<string> {
    if (this.#ending !== undefined) return NOT_KEPT
    try {
      const { store } = this.#resumability
      const id = await store.append(this.#sessionId, stream, message as Readonly<Record<string, unknown>>)
      this.#isFailing = false
      return id
    } catch (error) {
      if (!this.#isFailing)
        this.#logger.warn({ err: error }, 'An MCP event was not kept: it cannot be resumed')
      this.#isFailing = true
      return NOT_KEPT
    }
  }

  /** What is left of a stream that has ended. */
  async #rest(eventId: string): Promise<HttpAnswer> {
    const { store } = this.#resumability
    let body = ''
    const stream = await store.replayAfter(this.#sessionId, eventId, async (id, message) => {
      body += messageEvent(id, message)
    })
    if (stream === undefined) return lost()
    // To an event source this means: do not come again (HTML standard, "Server-sent events").
    if (body === '') return { status: 204, headers: {} }
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' }
    return { status: 200, headers, body }
  }

  #polled(
    answer: HttpAnswer,
    { head, isCall }: { readonly head: string; readonly isCall: boolean },
  ): HttpAnswer {
    const { closeStreamAfterMs } = this.#resumability
    if (answer.status !== 200 || typeof answer.body !== 'object') return answer
    if (head === '' && closeStreamAfterMs === undefined) return answer
    const closing = isCall && closeStreamAfterMs !== undefined && { closeAfterMs: closeStreamAfterMs }
    const body = polledStream(answer.body, { head, ...closing, mayClose: () => !this.#isFailing })
    return { ...answer, body }
  }

  async #inTurn<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(stream)
    const working = (async () => {
      await before
      return work()
    })()
    const turn = working.then(
      () => undefined,
      () => undefined,
    )
    this.#turns.set(stream, turn)
    try {
      return await working
    } finally {
      if (this.#turns.get(stream) === turn) this.#turns.delete(stream)
    }
  }
}

/** The id of an event that nobody can resume after: an event source takes it for none. */
const NOT_KEPT = ''

function lost(): HttpAnswer {
  return errorAnswer(400, 'Nothing can be resumed after this Last-Event-ID', { code: SERVER_ERROR })
}
