import { type EventStore, endsStream } from './event-store.js'

export interface MemoryEventStoreOptions {
  /** Most events, and most bytes of their JSON, of all sessions. Default 10 000, and 64 MiB. */
  readonly maxEvents?: number
  readonly maxBytes?: number
  /** Most events, and most bytes, of one stream, whose oldest events go first. Default 1 000, and 8 MiB. */
  readonly maxStreamEvents?: number
  readonly maxStreamBytes?: number
  /** How long a stream is kept after the answer that ends it, in milliseconds. Default 300 000 (five minutes). */
  readonly ttlMs?: number
}

interface Stream {
  readonly name: string
  readonly session: Session
  /** In the order of their ids. */
  readonly events: { readonly id: string; readonly json: string; readonly bytes: number }[]
  bytes: number
  endedAt?: number
}

interface Session {
  readonly streams: Map<string, Stream>
  readonly streamOfEvent: Map<string, Stream>
  /** Ids begin anew in each session: they tell nothing about the others. */
  lastId: number
}

/**
 * The {@link EventStore} of one process. It is bounded: when it is full, the streams that ended first make room, then those
 * that have been silent for longest. It has no timers.
 */
export class MemoryEventStore implements EventStore {
  readonly #limits: Required<MemoryEventStoreOptions>
  readonly #sessions = new Map<string, Session>()
  /** The one whose last event is the oldest comes first, in both. */
  readonly #running = new Set<Stream>()
  readonly #ended = new Set<Stream>()
  #events = 0
  #bytes = 0

  constructor({
    maxEvents = 10_000,
    maxBytes = 64 * 1024 * 1024,
    maxStreamEvents = 1_000,
    maxStreamBytes = 8 * 1024 * 1024,
    ttlMs = 300_000,
  }: MemoryEventStoreOptions = {}) {
    this.#limits = { maxEvents, maxBytes, maxStreamEvents, maxStreamBytes, ttlMs }
    for (const [name, value] of Object.entries(this.#limits)) {
      if (Number.isSafeInteger(value) && value >= 1) continue
      throw new RangeError(`${name} of a MemoryEventStore must be a whole number from 1 (got ${value})`)
    }
  }

  async append(sessionId: string, name: string, message: Readonly<Record<string, unknown>>): Promise<string> {
    const json = JSON.stringify(message)
    const now = performance.now()
    const session = this.#session(sessionId)
    const stream = this.#stream(session, name)
    const event = { id: String(++session.lastId), json, bytes: Buffer.byteLength(json) }
    stream.events.push(event)
    session.streamOfEvent.set(event.id, stream)
    this.#count(stream, 1, event.bytes)
    this.#place(stream, endsStream(message) ? now : stream.endedAt)
    this.#shorten(stream)
    this.#makeRoom(now)
    return event.id
  }

  async streamOf(sessionId: string, eventId: string): Promise<string | undefined> {
    this.#makeRoom(performance.now())
    return this.#sessions.get(sessionId)?.streamOfEvent.get(eventId)?.name
  }

  async replayAfter(
    sessionId: string,
    eventId: string,
    send: (eventId: string, message: Readonly<Record<string, unknown>>) => Promise<void>,
  ): Promise<string | undefined> {
    const stream = this.#sessions.get(sessionId)?.streamOfEvent.get(eventId)
    if (stream === undefined) return undefined
    const missed = stream.events.slice(stream.events.findIndex(({ id }) => id === eventId) + 1)
    for (const { id, json } of missed) await send(id, JSON.parse(json))
    return stream.name
  }

  async drop(sessionId: string): Promise<void> {
    for (const stream of this.#sessions.get(sessionId)?.streams.values() ?? []) this.#remove(stream)
    this.#sessions.delete(sessionId)
  }

  #session(id: string): Session {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const session: Session = { streams: new Map(), streamOfEvent: new Map(), lastId: 0 }
    this.#sessions.set(id, session)
    return session
  }

  #stream(session: Session, name: string): Stream {
    const known = session.streams.get(name)
    if (known !== undefined) return known
    const stream: Stream = { name, session, events: [], bytes: 0 }
    session.streams.set(name, stream)
    return stream
  }

  /** Puts the stream behind the others. */
  #place(stream: Stream, endedAt: number | undefined): void {
    this.#running.delete(stream)
    this.#ended.delete(stream)
    if (endedAt === undefined) this.#running.add(stream)
    else {
      stream.endedAt = endedAt
      this.#ended.add(stream)
    }
  }

  #shorten(stream: Stream): void {
    const { maxStreamEvents, maxStreamBytes } = this.#limits
    while (stream.events.length > maxStreamEvents || stream.bytes > maxStreamBytes) {
      const oldest = stream.events.shift()
      if (oldest === undefined) break
      stream.session.streamOfEvent.delete(oldest.id)
      this.#count(stream, -1, -oldest.bytes)
    }
    if (stream.events.length === 0) this.#remove(stream)
  }

  #makeRoom(now: number): void {
    const { maxEvents, maxBytes, ttlMs } = this.#limits
    for (const stream of this.#ended) {
      if ((stream.endedAt ?? now) + ttlMs > now) break
      this.#remove(stream)
    }
    for (const streams of [this.#ended, this.#running]) {
      for (const stream of streams) {
        if (this.#events <= maxEvents && this.#bytes <= maxBytes) return
        this.#remove(stream)
      }
    }
  }

  #remove(stream: Stream): void {
    const { session, name, events, bytes } = stream
    for (const { id } of events) session.streamOfEvent.delete(id)
    session.streams.delete(name)
    this.#running.delete(stream)
    this.#ended.delete(stream)
    this.#count(stream, -events.length, -bytes)
  }

  #count(stream: Stream, events: number, bytes: number): void {
    stream.bytes += bytes
    this.#events += events
    this.#bytes += bytes
  }
}
