import fc from 'fast-check'
import { INITIALIZE, messagesOf, modern, request, send } from '../fixtures/http-server.js'
import { urlOf } from './http-fuzz.js'
import { goodId } from './messages.js'
import { BOUND_MS, type FuzzTarget } from './target.js'

type Step =
  | { readonly kind: 'open' | 'reopen' | 'delete' | 'listen' | 'initialized'; readonly of: number }
  | {
      readonly kind: 'call' | 'ping' | 'cancel' | 'release' | 'modern'
      readonly of: number
      readonly id: string | number
    }

const someId = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string | number>(0, 1, '', '1') },
  { weight: 1, arbitrary: goodId },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('open' as const, 'reopen', 'delete', 'listen', 'initialized'),
    of: fc.nat(3),
  }),
  fc.record({
    kind: fc.constantFrom('call' as const, 'call', 'ping', 'cancel', 'release', 'modern'),
    of: fc.nat(3),
    id: someId,
  }),
)

interface Running {
  readonly key: string
  readonly answer: Promise<Record<string, unknown>[]>
}

interface Session {
  readonly headers: Readonly<Record<string, string>>
  readonly running: Map<string | number, Running>
  isOpen: boolean
}

/** Clients that open, call, cancel, repeat ids, delete and go on: a model of what the sessions should say to it. */
export function sessionProperty(target: FuzzTarget) {
  return fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 20 }), async (steps) => {
    const model = new SessionModel(target)
    try {
      for (const each of steps) await model.take(each)
    } finally {
      await model.end()
    }
    model.expect('sessions that are left', target.bridge.sessionCount, 0)
    model.expect('calls that are left', target.gate.size, 0)
    const leaks = target.leaks()
    if (leaks.length > 0) throw new Error(leaks.join('\n'))
  })
}

class SessionModel {
  readonly #target: FuzzTarget
  readonly #url: string
  readonly #sessions: Session[] = []
  #calls = 0

  constructor(target: FuzzTarget) {
    this.#target = target
    this.#url = urlOf(target)
  }

  async take(step: Step): Promise<void> {
    const session = this.#sessions[step.of % Math.max(1, this.#sessions.length)]
    if (session === undefined || step.kind === 'open') return this.#open({})
    if (step.kind === 'reopen') return this.#open(session.headers)
    switch (step.kind) {
      case 'delete':
        return this.#delete(session)
      case 'listen':
        return this.#listen(session)
      case 'initialized':
        return this.#expectStatus(session, { jsonrpc: '2.0', method: 'notifications/initialized' }, 202)
      case 'call':
        return this.#call(session, step.id)
      case 'ping':
        return this.#expectStatus(session, request(step.id, 'ping'), session.running.has(step.id) ? 400 : 200)
      case 'cancel':
        return this.#cancel(session, step.id)
      case 'release':
        return this.#release(session, step.id)
      case 'modern':
        return this.#modern(step.id)
    }
  }

  async end(): Promise<void> {
    for (const session of this.#sessions) {
      for (const id of [...session.running.keys()]) await this.#release(session, id)
      await this.#delete(session)
    }
  }

  expect(what: string, got: unknown, wanted: unknown): void {
    if (JSON.stringify(got) !== JSON.stringify(wanted)) {
      throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
    }
  }

  async #open(headers: Readonly<Record<string, string>>): Promise<void> {
    const response = await this.#send(headers, INITIALIZE)
    const id = response.headers.get('mcp-session-id')
    const [answer] = await messagesOf(response)
    this.expect('the status of a handshake', response.status, 200)
    this.expect('the answer to a handshake', [answer?.id, answer?.error], [1, undefined])
    if (id === null || this.#sessions.some((session) => session.headers['mcp-session-id'] === id)) {
      throw new Error(`a handshake opens the session ${id}`)
    }
    this.#sessions.push({ headers: { 'mcp-session-id': id }, running: new Map(), isOpen: true })
  }

  async #delete(session: Session): Promise<void> {
    const response = await send(this.#url, { method: 'DELETE', headers: session.headers })
    await response.text()
    this.expect('the status of DELETE', response.status, session.isOpen ? 200 : 404)
    session.isOpen = false
    for (const { answer, key } of session.running.values()) {
      this.expect('the answer to a call of a session that ended', await bounded(answer), [])
      this.expect('it was aborted', this.#target.gate.has(key), false)
    }
    session.running.clear()
  }

  async #listen(session: Session): Promise<void> {
    const response = await send(this.#url, { method: 'GET', headers: session.headers })
    // The stream before may not have been seen to be gone.
    if (response.status !== 409) this.expect('the status of GET', response.status, session.isOpen ? 200 : 404)
    await response.body?.cancel()
  }

  async #call(session: Session, id: string | number): Promise<void> {
    const key = `call ${++this.#calls}`
    const body = request(id, 'tools/call', { name: 'hold', arguments: { key } })
    const response = await this.#send(session.headers, body)
    const isRepeated = session.running.has(id)
    this.expect('the status of a call', response.status, !session.isOpen ? 404 : isRepeated ? 400 : 200)
    if (response.status !== 200) return void (await response.text())
    session.running.set(id, { key, answer: messagesOf(response) })
    await until(() => this.#target.gate.has(key))
  }

  async #cancel(session: Session, requestId: string | number): Promise<void> {
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
    await this.#expectStatus(session, body, 202)
    const running = session.running.get(requestId)
    if (running === undefined) return
    session.running.delete(requestId)
    this.expect('the answer to a cancelled call', await bounded(running.answer), [])
    await until(() => !this.#target.gate.has(running.key))
  }

  async #release(session: Session, id: string | number): Promise<void> {
    const running = session.running.get(id)
    if (running === undefined) return
    session.running.delete(id)
    this.#target.gate.open(running.key)
    const answers = await bounded(running.answer)
    this.expect(
      'the answer to a call',
      answers.map((answer) => answer.id),
      [id],
    )
  }

  /** The new era has no sessions: the same ids mean nothing there. */
  async #modern(id: string | number): Promise<void> {
    const [answer] = await messagesOf(await send(this.#url, modern(id, 'tools/call', { name: 'greet' })))
    this.expect('the answer to a call of the new era', [answer?.id, answer?.error], [id, undefined])
  }

  async #expectStatus({ headers, isOpen }: Session, body: unknown, status: number): Promise<void> {
    const response = await this.#send(headers, body)
    await response.text()
    this.expect('the status', response.status, isOpen ? status : 404)
  }

  #send(headers: Readonly<Record<string, string>>, body: unknown): Promise<Response> {
    return send(this.#url, { headers, body })
  }
}

function bounded<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('there is no end to an answer')), BOUND_MS)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

async function until(condition: () => boolean): Promise<void> {
  const last = performance.now() + BOUND_MS
  while (!condition()) {
    if (performance.now() > last) throw new Error('a call does not start or end')
    await new Promise(setImmediate)
  }
}
