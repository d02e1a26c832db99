import { randomBytes } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { INVALID_PARAMS } from '../../src/bridge/json-rpc.js'
import {
  RequestStates,
  type RequestStatesOptions,
  type RoundBinding,
  type RoundState,
} from '../../src/bridge/request-state.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'

const binding: RoundBinding = {
  callerKey: 'alice',
  kind: 'tool',
  name: 'book',
  fingerprint: 'print',
  argsDigest: 'args',
}
const state: RoundState = {
  round: 2,
  answers: { confirm: { questionDigest: 'digest', answer: { action: 'accept', content: { ok: true } } } },
  steps: { reserve: { id: 7, nothing: null } },
  idempotencyKey: 'key-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  remainingMs: 4_321,
  openDigests: { seat: 'digest of the question' },
}
const FOREIGN = 'The requestState does not belong to this request: send the one of its last result as it is'

/** What opening ends with: the content, or the error. */
async function opened(states: RequestStates, text: unknown, bound = binding): Promise<unknown> {
  return states.open(text, bound).catch(({ name, code, message }) => ({ name, code, message }))
}

function refused(message: string) {
  return { name: 'JsonRpcError', code: INVALID_PARAMS, message }
}

describe('a request state', () => {
  afterEach(() => void vi.useRealTimers())

  it('gives back what was sealed, once', async () => {
    const states = new RequestStates()
    const text = await states.seal(state, binding)
    expect(await opened(states, text)).toEqual(state)
    const used = refused('The requestState has been used: make the request again without it')
    expect(await opened(states, text)).toEqual(used)
  })

  it('lets one of many that race have it', async () => {
    const states = new RequestStates()
    const text = await states.seal(state, binding)
    const results = await Promise.all(Array.from({ length: 20 }, () => opened(states, text)))
    expect(results.filter((result) => !Object.hasOwn(result as object, 'code'))).toEqual([state])
  })

  it('shows nothing of what it holds, and never looks the same', async () => {
    const states = new RequestStates()
    const texts = await Promise.all([states.seal(state, binding), states.seal(state, binding)])
    expect(texts[0]).not.toBe(texts[1])
    const readable = texts.flatMap((text) => text.split('.').map((part) => Buffer.from(part, 'base64url')))
    expect(readable.some((bytes) => /confirm|reserve|alice|book/.test(bytes.toString('latin1')))).toBe(false)
    const [header = ''] = (texts[0] ?? '').split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'dir', enc: 'A256GCM' })
  })

  it.each<[string, Partial<RoundBinding>]>([
    ['another caller', { callerKey: 'bob' }],
    ['another kind', { kind: 'prompt' }],
    ['another tool', { name: 'cancel' }],
    ['a tool that has changed', { fingerprint: 'other' }],
    ['other arguments', { argsDigest: 'other' }],
  ])('does not open for %s, and is not used up by trying', async (_, other) => {
    const states = new RequestStates()
    const text = await states.seal(state, binding)
    expect(await opened(states, text, { ...binding, ...other })).toEqual(refused(FOREIGN))
    expect(await opened(states, text)).toEqual(state)
  })

  it('does not open when a character of it is changed, added or missing', async () => {
    const states = new RequestStates()
    const text = await states.seal(state, binding)
    const swapped = (at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
    const places = [0, 5, ...[1, 2, 3, 4].map((part) => text.split('.').slice(0, part).join('.').length + 1)]
    const changed = [
      ...places.map(swapped),
      swapped(text.length - 1),
      `${text}A`,
      `${text}=`,
      `${text}.`,
      ` ${text}`,
      text.slice(0, -1),
      text.toUpperCase(),
    ]
    for (const bad of changed) expect([bad, await opened(states, bad)]).toEqual([bad, refused(FOREIGN)])
    expect(await opened(states, text)).toEqual(state)
  })

  it('has one spelling alone, whatever the bits are that base64url ignores', async () => {
    const states = new RequestStates()
    const text = await states.seal(state, binding)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const others = [...alphabet]
      .filter((last) => last !== text.at(-1))
      .map((last) => text.slice(0, -1) + last)
    for (const other of others) expect(await opened(states, other)).toEqual(refused(FOREIGN))
    expect(await opened(states, text)).toEqual(state)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', {}],
    ['empty text', ''],
    ['garbage', 'a.b.c.d.e'],
    ['a huge text', 'A'.repeat(5_000_000)],
  ])('is not %s', async (_, text) => {
    expect(await opened(new RequestStates(), text)).toEqual(refused(FOREIGN))
  })

  it('is not what somebody else has encrypted, in this way or another', async () => {
    const theirs = randomBytes(32)
    const encrypt = (alg: string, enc: string, key: Uint8Array) =>
      new CompactEncrypt(Buffer.from('{}')).setProtectedHeader({ alg, enc }).encrypt(key)
    const forged = [
      await new RequestStates({ key: theirs }).seal(state, binding),
      await encrypt('dir', 'A256GCM', theirs),
      await encrypt('A256KW', 'A256GCM', theirs),
    ]
    for (const text of forged) expect(await opened(new RequestStates(), text)).toEqual(refused(FOREIGN))
    // Not even with the secret itself, which is not what seals.
    const states = new RequestStates({ key: theirs })
    expect(await opened(states, forged[1])).toEqual(refused(FOREIGN))
  })

  it('expires after its time, not before', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const states = new RequestStates({ ttlMs: 1_000 })
    const [first, second] = await Promise.all([states.seal(state, binding), states.seal(state, binding)])
    vi.advanceTimersByTime(999)
    expect(await opened(states, first)).toEqual(state)
    vi.advanceTimersByTime(1)
    const expired = refused('The requestState has expired: make the request again without it')
    expect(await opened(states, second)).toEqual(expired)
    // Whose state it was is nobody else's business, expired or not.
    expect(await opened(states, second, { ...binding, callerKey: 'bob' })).toEqual(refused(FOREIGN))
  })
})

describe('the keys of request states', () => {
  const [old, current] = [randomBytes(32), randomBytes(48)]

  it('open in another process what was sealed in this one, whose store says what was used', async () => {
    const options: RequestStatesOptions = { key: current.toString('base64url'), store: new MemoryStore() }
    const [here, there] = [new RequestStates(options), new RequestStates({ ...options, key: current })]
    const text = await here.seal(state, binding)
    expect(await opened(there, text)).toEqual(state)
    expect(await opened(here, text)).toMatchObject({ code: INVALID_PARAMS })
  })

  it('can be replaced: all open, the first seals', async () => {
    const before = new RequestStates({ key: old })
    const rotating = new RequestStates({ key: [current, old] })
    const after = new RequestStates({ key: [current] })
    expect(await opened(rotating, await before.seal(state, binding))).toEqual(state)
    expect(await opened(after, await rotating.seal(state, binding))).toEqual(state)
    expect(await opened(after, await before.seal(state, binding))).toEqual(refused(FOREIGN))
  })

  it('are not changed by who gave them', async () => {
    const key = randomBytes(32)
    const states = new RequestStates({ key })
    const text = await states.seal(state, binding)
    key.fill(0)
    expect(await opened(states, text)).toEqual(state)
  })

  it.each<[string, unknown, string]>([
    ['short bytes', randomBytes(31), 'at least 32 random bytes (got 31)'],
    ['short text', 'c2VjcmV0', 'at least 32 random bytes (got 6)'],
    ['a pass phrase', 'correct horse battery staple, and some more of it', 'base64 text of them'],
    ['a number', 5, 'a key, or a list of keys (got 5)'],
    ['no keys', [], 'a key, or a list of keys (got an array)'],
    ['a list with a gap', [undefined], 'base64 text of them (got undefined)'],
  ])('are refused: %s', (_, key, message) => {
    expect(() => new RequestStates({ key: key as Uint8Array })).toThrow(message)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'are given a time that is one: not %s',
    (ttlMs) => {
      expect(() => new RequestStates({ ttlMs })).toThrow('ttlMs of a requestState must be a whole number')
    },
  )
})

describe('the bounds of request states', () => {
  it('are eight rounds', async () => {
    const states = new RequestStates()
    const eighth = { ...state, round: 8 }
    expect(await opened(states, await states.seal(eighth, binding))).toEqual(eighth)
    await expect(states.seal({ ...state, round: 9 }, binding)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: 'Tool "book" asked in more than 8 rounds, and was ended',
    })
  })

  it('are 64 KiB of what is kept, counted in bytes', async () => {
    const states = new RequestStates()
    const empty = { ...state, steps: { big: '' } }
    const room = 64 * 1024 - Buffer.byteLength(JSON.stringify(empty))
    const filled = (count: number) => ({
      ...empty,
      steps: { big: 'é'.repeat(count / 2) + 'e'.repeat(count % 2) },
    })
    expect(await opened(states, await states.seal(filled(room), binding))).toEqual(filled(room))
    await expect(states.seal(filled(room + 1), binding)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message:
        'Tool "book" keeps 65537 bytes of answers and ctx.once results while it asks, more than 65536: ' +
        'return less from ctx.once, such as an id of what is stored elsewhere',
    })
  })

  it('are those of the store: what cannot be remembered does not open', async () => {
    const states = new RequestStates({ store: new MemoryStore({ maxEntries: 1 }) })
    const [first, second] = await Promise.all([states.seal(state, binding), states.seal(state, binding)])
    expect(await opened(states, first)).toEqual(state)
    expect(await opened(states, second)).toMatchObject({ name: 'OverloadedError', code: 'OVERLOADED' })
  })

  it('hold when the store fails', async () => {
    const store = new MemoryStore()
    vi.spyOn(store, 'consume').mockRejectedValueOnce(new Error('no connection'))
    const states = new RequestStates({ store })
    const text = await states.seal(state, binding)
    await expect(states.open(text, binding)).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryAfterMs: 5_000,
      cause: new Error('no connection'),
    })
    expect(await opened(states, text)).toEqual(state)
  })
})
