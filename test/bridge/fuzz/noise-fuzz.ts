import fc from 'fast-check'
import { exchange } from './raw-socket.js'
import { internalsIn } from './secrets.js'
import { BOUND_MS, type FuzzTarget } from './target.js'

const PIECES = [
  'POST /mcp HTTP/1.1\r\n',
  'GET / HTTP/1.0\r\n',
  'HTTP/1.1 200 OK\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'Host: localhost\r\n',
  'Content-Type: application/json\r\n',
  'Accept: application/json, text/event-stream\r\n',
  'Content-Length: 2\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  ' folded\r\n',
  'no colon\r\n',
  '\r\n',
  '\r\n\r\n',
  '{}',
  'ffffffffffffffff\r\n',
  '2;x=y\r\n{}\r\n',
  '0\r\n\r\n',
  '\u0016\u0003\u0001\u0002',
  '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
]

const noise = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PIECES).map((text) => Buffer.from(text, 'latin1')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  ),
  { maxLength: 12 },
)

/** Bytes that are hardly HTTP: whatever they are, there is an end to it. */
export function noiseProperty(target: FuzzTarget) {
  return fc.asyncProperty(noise, async (pieces) => {
    const { port } = target
    const { status, body, end } = await exchange(Buffer.concat(pieces), {
      port,
      boundMs: BOUND_MS,
      halfClose: true,
    })
    const problems = [...internalsIn(body), ...target.leaks()]
    if (end === 'silent') problems.push('there is no answer, and no end')
    if (status >= 500 && status !== 505) problems.push(`the status is ${status}`)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
}
