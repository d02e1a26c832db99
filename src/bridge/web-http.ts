import type { HttpAnswer } from './http-exchange.js'
import type { HttpArrival } from './http-host.js'

/** What a fetch host knows about a request besides the request. */
export interface FetchOptions {
  /**
   * The client's remote address. A web request does not carry it; without it all clients that have no principal share
   * their quotas.
   */
  readonly address?: string | undefined
  /** The parsed body, where it has been read already. */
  readonly parsedBody?: unknown
}

/** A web request with what is needed to tell it that the answer has been read. */
export class WebArrival implements HttpArrival {
  readonly method: string
  readonly address: string
  readonly parsedBody?: unknown
  readonly #request: Request
  readonly #listeners: (() => void)[] = []
  readonly #gone = new AbortController()
  #ended = false

  constructor(request: Request, { address = 'unknown', parsedBody }: FetchOptions) {
    this.#request = request
    this.method = request.method
    this.address = address
    if (parsedBody !== undefined) this.parsedBody = parsedBody
    request.signal.addEventListener('abort', this.#abandon, { once: true })
    if (request.signal.aborted) this.#abandon()
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name)
    // Fetch keeps the Host header in the URL.
    return value ?? (name === 'host' ? new URL(this.#request.url).host : undefined)
  }

  onEnd(listener: () => void): void {
    if (this.#ended) listener()
    else this.#listeners.push(listener)
  }

  toRequest(): Request {
    const { method, headers } = this.#request
    return new Request('http://localhost/', { method, headers, signal: this.#gone.signal })
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
