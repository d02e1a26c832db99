import type { Principal } from '../registry/principal.js'
import type { HttpArrival } from './http-arrival.js'
import type { HttpAnswer } from './http-exchange.js'

/** What a fetch host knows about a request besides the request. */
export interface FetchOptions {
  /**
   * The client's remote address. A web request does not carry it; without it all clients that have no principal share
   * their quotas.
   */
  readonly address?: string | undefined
  /** The parsed body, where it has been read already. */
  readonly parsedBody?: unknown
  /** Who is calling, where the service around the bridge has found it out. */
  readonly principal?: Principal | undefined
}

/** A web request with what is needed to tell it that the answer has been read. */
export class WebArrival implements HttpArrival {
  readonly method: string
  readonly url: string
  readonly address: string
  readonly parsedBody?: unknown
  readonly identify: HttpArrival['identify']
  readonly #request: Request
  readonly #listeners: (() => void)[] = []
  readonly #gone = new AbortController()
  #ended = false

  constructor(request: Request, { address = 'unknown', parsedBody, principal }: FetchOptions) {
    this.#request = request
    this.method = request.method
    this.url = request.url
    this.address = address
    this.identify = principal && (() => principal)
    if (parsedBody !== undefined) this.parsedBody = parsedBody
    request.signal.addEventListener('abort', this.#abandon, { once: true })
    if (request.signal.aborted) this.#abandon()
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name)
    // Fetch keeps the Host header in the URL.
    return value ?? (name === 'host' ? new URL(this.#request.url).host : undefined)
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    return this.#request.headers
  }

  onEnd(listener: () => void): void {
    if (this.#ended) listener()
    else this.#listeners.push(listener)
  }

  async readBody(maxBytes: number): Promise<string | undefined> {
    if (this.#request.body === null) return ''
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.#request.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > maxBytes) return undefined
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  /** The answer for the host. Whoever waits for the end hears of it when the body has been read or given up. */
  respond({ status, headers, body }: HttpAnswer): Response {
    if (typeof body === 'object') return new Response(this.#watch(body), { status, headers })
    this.#end()
    return new Response(body ?? null, { status, headers })
  }

  #watch(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    this.onEnd(() => void reader.cancel().catch(() => undefined))
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
        this.#end()
      },
      cancel: () => this.#abandon(),
    })
  }

  readonly #abandon = (): void => {
    if (!this.#ended) this.#gone.abort()
    this.#end()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#request.signal.removeEventListener('abort', this.#abandon)
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
