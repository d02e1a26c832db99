import { connect, type Socket } from 'node:net'

/** What came back on a socket for the first request on it. */
export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** How it came to an end. `silent`: it did not, in time. `open`: a stream that is meant to stay was left. */
  readonly end: 'complete' | 'open' | 'closed' | 'silent'
}

export interface RawOptions {
  readonly port: number
  readonly boundMs: number
  /** No body belongs to the answer, whatever its headers say. */
  readonly isHead?: boolean
  /** Whether to leave a stream of which this much has come. */
  readonly isEnough?: (body: string) => boolean
  /** Ends our side after writing. */
  readonly halfClose?: boolean
}

/** Writes bytes to a server and reads what it answers. */
export function exchange(bytes: Buffer, options: RawOptions): Promise<RawAnswer> {
  const { port, boundMs, halfClose = false, isHead = false } = options
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    let received = Buffer.alloc(0)
    const settle = (end: RawAnswer['end']) => {
      clearTimeout(timer)
      socket.destroy()
      const { status, headers, body } = parse(received)
      resolve({ status, headers, body: isHead ? '' : body, end })
    }
    const timer = setTimeout(() => settle('silent'), boundMs)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const end = endOf(received, options)
      if (end !== undefined) settle(end)
    })
    socket.on('end', () => settle('closed'))
    socket.on('close', () => settle('closed'))
    // The server may stop reading before we have written all.
    socket.on('error', () => undefined)
    if (halfClose) socket.end(bytes)
    else socket.write(bytes)
  })
}

function endOf(received: Buffer, { isHead = false, isEnough }: RawOptions): RawAnswer['end'] | undefined {
  const { status, headers, body, isWhole } = parse(received)
  if (status === 0) return undefined
  if (isHead || status === 204 || status === 304 || isWhole) return 'complete'
  const isStream = headers.get('content-type') === 'text/event-stream'
  return isStream && isEnough?.(body) ? 'open' : undefined
}

interface Parsed {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly isWhole: boolean
}

const NOTHING: Parsed = { status: 0, headers: new Map(), body: '', isWhole: false }

function parse(received: Buffer): Parsed {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return NOTHING
  const [start = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1] ?? 0)
  const rest = received.subarray(headEnd + 4)
  if (status >= 100 && status < 200) return parse(rest)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  if (headers.get('transfer-encoding') === 'chunked') return { status, headers, ...dechunked(rest) }
  const length = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  return { status, headers, body: rest.subarray(0, length).toString(), isWhole: rest.length >= length }
}

function dechunked(bytes: Buffer): { readonly body: string; readonly isWhole: boolean } {
  const chunks: Buffer[] = []
  for (let rest = bytes; ; ) {
    const lineEnd = rest.indexOf('\r\n')
    if (lineEnd < 0) return { body: Buffer.concat(chunks).toString(), isWhole: false }
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString(), 16)
    if (size === 0) return { body: Buffer.concat(chunks).toString(), isWhole: true }
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    rest = rest.subarray(lineEnd + 2 + size + 2)
  }
}
