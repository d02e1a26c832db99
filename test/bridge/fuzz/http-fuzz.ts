import fc from 'fast-check'
import { INITIALIZE, messagesOf, modern, openSession, send } from '../fixtures/http-server.js'
import { bytesOf, type HttpCase, httpCase } from './http-cases.js'
import type { HttpRules } from './http-faults.js'
import { httpProblems } from './http-oracle.js'
import { type Served, servedMethods } from './method-oracle.js'
import { exchange, type RawAnswer } from './raw-socket.js'
import { BOUND_MS, type FuzzTarget, MAX_BODY_BYTES } from './target.js'

/** Sends cases to a target and judges what comes back. */
export class HttpFuzz {
  readonly #target: FuzzTarget
  readonly #rules: HttpRules
  readonly #opened = new Set<string>()
  #session = ''

  private constructor(target: FuzzTarget, rules: HttpRules) {
    this.#target = target
    this.#rules = rules
  }

  static async start(target: FuzzTarget, sessions: boolean): Promise<HttpFuzz> {
    return new HttpFuzz(target, {
      sessions,
      maxBodyBytes: MAX_BODY_BYTES,
      served: await servedBy(urlOf(target)),
    })
  }

  property() {
    return fc.asyncProperty(httpCase, async (request) => {
      const problems = await this.#run(request)
      if (problems.length > 0) {
        this.#session = ''
        throw new Error(problems.join('\n'))
      }
    })
  }

  async #run(request: HttpCase): Promise<string[]> {
    // A stream or the end of a session is not to spoil the next case.
    if (this.#session === '' || request.verb !== 'POST') this.#session = await this.#open()
    const answer = await exchange(bytesOf(request, this.#session), {
      port: this.#target.port,
      boundMs: BOUND_MS,
      isHead: request.verb === 'HEAD',
      halfClose: request.framing === 'too long',
      isEnough: (body) => request.verb === 'GET' || body.includes('notifications/subscriptions/acknowledged'),
    })
    this.#note(answer)
    if (request.verb !== 'POST') this.#session = ''
    return [...httpProblems(request, answer, this.#rules), ...this.#target.leaks()]
  }

  /** Ends the sessions that were opened. */
  async end(): Promise<void> {
    await Promise.all(
      [...this.#opened].map(async (id) => {
        const response = await send(urlOf(this.#target), {
          method: 'DELETE',
          headers: { 'mcp-session-id': id },
        })
        await response.text()
      }),
    )
  }

  async #open(): Promise<string> {
    if (!this.#rules.sessions) return 'none'
    const { 'mcp-session-id': id = '' } = await openSession(urlOf(this.#target))
    this.#opened.add(id)
    return id
  }

  /** Any handshake may have opened a session. */
  #note({ headers }: RawAnswer): void {
    const id = headers.get('mcp-session-id')
    if (id !== undefined) this.#opened.add(id)
  }
}

export function urlOf({ port }: FuzzTarget): string {
  return `http://127.0.0.1:${port}/mcp`
}

/** What the server itself says that it serves. */
async function servedBy(url: string): Promise<Served> {
  const legacy = await send(url, { body: INITIALIZE })
  const [opened] = await messagesOf(legacy)
  const [discovered] = await messagesOf(await send(url, modern(1, 'server/discover')))
  const id = legacy.headers.get('mcp-session-id')
  if (id !== null) await send(url, { method: 'DELETE', headers: { 'mcp-session-id': id } })
  return {
    legacy: servedMethods('legacy', capabilitiesIn(opened)),
    modern: servedMethods('modern', capabilitiesIn(discovered)),
  }
}

function capabilitiesIn(answer: unknown): Readonly<Record<string, unknown>> {
  const { result } = answer as {
    readonly result: { readonly capabilities: Readonly<Record<string, unknown>> }
  }
  return result.capabilities
}
