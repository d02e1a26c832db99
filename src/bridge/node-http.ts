import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpAnswer } from './http-exchange.js'
import type { HttpArrival } from './http-host.js'

/** For node:http, Express, Connect and their like, wherever they mount it. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void

/** A request of node:http, also behind a body parser. */
export function nodeArrival(req: IncomingMessage, res: ServerResponse): HttpArrival {
  const { body } = req as { readonly body?: unknown } // Express and others put what they parsed here
  return {
    method: req.method ?? 'GET',
    address: req.socket.remoteAddress ?? 'unknown',
    // HTTP/2 has the host under another name.
    header: (name) => single(req.headers[name] ?? (name === 'host' ? req.headers[':authority'] : undefined)),
    onEnd: (listener) => void (res.closed ? listener() : res.once('close', listener)),
    toRequest: () => toRequest(req, res),
    ...(body !== undefined && { parsedBody: body }),
    readBody: (maxBytes) => readBody(req, maxBytes),
  }
}

/** Resolves when the answer is written or the client is gone. */
export async function writeAnswer(res: ServerResponse, { status, headers, body }: HttpAnswer): Promise<void> {
  if (res.destroyed || res.headersSent) return
  // HTTP/2 knows no such header, and Node warns of it.
  if (res.req.httpVersionMajor >= 2) {
    const { connection: _connection, ...kept } = headers
    headers = kept
  }
  if (typeof body !== 'object') {
    res.writeHead(status, {
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    })
    res.end(body)
    return
  }
  res.writeHead(status, { ...headers })
  res.flushHeaders()
  const reader = body.getReader()
  res.once('close', () => void reader.cancel().catch(() => undefined))
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (!res.write(chunk.value)) await drained(res)
  }
  res.end()
}

async function readBody(req: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (Number(req.headers['content-length']) > maxBytes) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function toRequest(req: IncomingMessage, res: ServerResponse): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, single(value) ?? '')
  }
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  if (res.destroyed) gone.abort()
  // Where it was sent to is of no interest behind the guard, and is text of the client's.
  return new Request('http://localhost/', { method: req.method ?? 'GET', headers, signal: gone.signal })
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}

/** Room to write again, or nobody there to write to. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off('drain', go).off('close', go)
      resolve()
    }
    res.once('drain', go).once('close', go)
    if (res.destroyed) go()
  })
}
