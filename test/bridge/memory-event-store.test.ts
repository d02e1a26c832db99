import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryEventStore, type MemoryEventStoreOptions } from '../../src/bridge/memory-event-store.js'

const note = (n: number) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { n } })
const answer = (id: number) => ({ jsonrpc: '2.0', id, result: {} })

/** What comes after an event; `undefined` if nothing can be resumed there. */
async function replayed(store: MemoryEventStore, session: string, eventId: string) {
  const events: [string, unknown][] = []
  const stream = await store.replayAfter(session, eventId, async (id, message) => {
    events.push([id, message])
  })
  expect(stream).toBe(await store.streamOf(session, eventId))
  return stream === undefined ? undefined : events
}

describe('MemoryEventStore', () => {
  afterEach(() => void vi.useRealTimers())

  it('replays what came after an event in its stream, in order, as often as asked', async () => {
    const store = new MemoryEventStore()
    const begin = await store.append('s', 'a', {})
    await store.append('s', 'b', note(1))
    const second = await store.append('s', 'a', note(2))
    const third = await store.append('s', 'a', answer(3))
    expect(await replayed(store, 's', begin)).toEqual([
      [second, note(2)],
      [third, answer(3)],
    ])
    expect(await replayed(store, 's', begin)).toHaveLength(2)
    expect(await replayed(store, 's', second)).toEqual([[third, answer(3)]])
    expect(await replayed(store, 's', third)).toEqual([])
  })

  it('keeps copies', async () => {
    const store = new MemoryEventStore()
    const begin = await store.append('s', 'a', {})
    const message = { ...note(1), params: { n: 1 } }
    const id = await store.append('s', 'a', message)
    message.params.n = 2
    expect(await replayed(store, 's', begin)).toEqual([[id, note(1)]])
  })

  it('does not know the events of another session, nor ids that are none', async () => {
    const store = new MemoryEventStore()
    await store.append('alice', 'a', {})
    const second = await store.append('alice', 'a', note(1))
    await store.append('bob', 'a', {})
    for (const id of [second, '', '0', '999', '__proto__', 'a', '1 ', '1.0'])
      expect([id, await replayed(store, 'bob', id)]).toEqual([id, undefined])
  })

  it('sends one event after the other, and stops when sending fails', async () => {
    const store = new MemoryEventStore()
    const begin = await store.append('s', 'a', {})
    await store.append('s', 'a', note(1))
    await store.append('s', 'a', note(2))
    const order: string[] = []
    await store.replayAfter('s', begin, async (id) => {
      order.push(`begin ${id}`)
      await new Promise(setImmediate)
      order.push(`end ${id}`)
    })
    expect(order).toEqual(['begin 2', 'end 2', 'begin 3', 'end 3'])
    const send = vi.fn().mockRejectedValue(new Error('gone'))
    await expect(store.replayAfter('s', begin, send)).rejects.toThrow('gone')
    expect(send).toHaveBeenCalledTimes(1)
  })

  it('forgets a session that ends, and none of the others', async () => {
    const store = new MemoryEventStore()
    const begin = await store.append('s', 'a', {})
    const other = await store.append('t', 'a', {})
    await store.drop('s')
    await store.drop('unknown')
    expect([await replayed(store, 's', begin), await replayed(store, 't', other)]).toEqual([undefined, []])
    const again = await store.append('s', 'a', {})
    expect(await replayed(store, 's', again)).toEqual([])
  })

  it('drops the oldest events of a stream that grows too long or too large, without a gap', async () => {
    for (const limits of [{ maxStreamEvents: 3 }, { maxStreamBytes: 3 * JSON.stringify(note(1)).length }]) {
      const store = new MemoryEventStore(limits)
      const ids: string[] = []
      for (const n of [1, 2, 3, 4, 5]) ids.push(await store.append('s', 'a', note(n)))
      const known = await Promise.all(ids.map((id) => replayed(store, 's', id)))
      const rest = [4, 5].map((n) => [ids[n - 1], note(n)])
      expect(known).toEqual([undefined, undefined, rest, rest.slice(1), []])
    }
  })

  it('does not keep an event that alone is too large, nor what it would leave a gap after', async () => {
    const store = new MemoryEventStore({ maxStreamBytes: 100 })
    const begin = await store.append('s', 'a', {})
    const large = await store.append('s', 'a', { ...note(1), params: { text: 'x'.repeat(200) } })
    expect([await replayed(store, 's', begin), await replayed(store, 's', large)]).toEqual([
      undefined,
      undefined,
    ])
    const next = await store.append('s', 'a', note(2))
    expect(await replayed(store, 's', next)).toEqual([])
  })

  it('makes room in streams that have ended first, then in those that have been silent for longest', async () => {
    const store = new MemoryEventStore({ maxEvents: 6 })
    const slow = await store.append('s', 'slow', {})
    const silent = await store.append('s', 'silent', {})
    const quick = await store.append('s', 'quick', {})
    await store.append('s', 'quick', answer(1))
    await store.append('s', 'slow', note(1))
    const talker = await store.append('t', 'talk', {})
    await store.append('t', 'talk', note(1))
    expect(await replayed(store, 's', quick)).toBeUndefined()
    expect(await replayed(store, 's', silent)).toEqual([])
    await store.append('t', 'talk', note(2))
    await store.append('t', 'talk', note(3))
    expect(await replayed(store, 's', silent)).toBeUndefined()
    expect([await replayed(store, 's', slow), await replayed(store, 't', talker)]).toMatchObject([
      { length: 1 },
      { length: 3 },
    ])
  })

  it('drops a stream some time after its answer, however long it ran', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const store = new MemoryEventStore({ ttlMs: 1_000 })
    const begin = await store.append('s', 'a', {})
    vi.advanceTimersByTime(100_000)
    const end = await store.append('s', 'a', answer(1))
    vi.advanceTimersByTime(999)
    expect(await replayed(store, 's', begin)).toEqual([[end, answer(1)]])
    vi.advanceTimersByTime(1)
    expect(await store.streamOf('s', begin)).toBeUndefined()
    expect(await replayed(store, 's', begin)).toBeUndefined()
  })

  it('never holds more than it may, and never replays with a gap', async () => {
    const step = fc.record({
      session: fc.constantFrom('s', 't'),
      stream: fc.constantFrom('a', 'b', 'c'),
      ends: fc.boolean(),
      drops: fc.constantFrom(false, false, false, true),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const store = new MemoryEventStore({ maxEvents: 10, maxBytes: 500, maxStreamEvents: 4 })
        const sent: { session: string; stream: string; id: string; dropped: boolean }[] = []
        for (const [n, { session, stream, ends, drops }] of steps.entries()) {
          if (drops) {
            await store.drop(session)
            for (const event of sent) if (event.session === session) event.dropped = true
          }
          const id = await store.append(session, stream, ends ? answer(n) : note(n))
          sent.push({ session, stream, id, dropped: false })
        }
        const live = sent.filter(({ dropped }) => !dropped)
        const known = await Promise.all(live.map(({ session, id }) => replayed(store, session, id)))
        expect(known.filter((events) => events !== undefined).length).toBeLessThanOrEqual(10)
        for (const [index, events] of known.entries()) {
          const { session, stream } = live[index] as (typeof live)[number]
          const later = live.slice(index + 1).filter((e) => e.session === session && e.stream === stream)
          if (events !== undefined) expect(events.map(([id]) => id)).toEqual(later.map(({ id }) => id))
        }
      }),
    )
  })

  it.each<MemoryEventStoreOptions>([
    { maxEvents: 0 },
    { maxBytes: -1 },
    { ttlMs: 1.5 },
    { maxStreamEvents: Number.NaN },
  ])('refuses a bound that is none: %o', (options) => {
    expect(() => new MemoryEventStore(options)).toThrow('of a MemoryEventStore must be a whole number from 1')
  })
})
