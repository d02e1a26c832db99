import fc from 'fast-check'
import { type Message, message } from './messages.js'
import { CANARY } from './secrets.js'

export type Header = readonly [name: string, value: string]

/** One HTTP request, before it is bytes. */
export interface HttpCase {
  readonly verb: string
  readonly path: string
  readonly headers: readonly Header[]
  readonly message: Message
  readonly framing: 'length' | 'chunked' | 'too short' | 'too long' | 'none' | 'twice'
  readonly encoding: 'utf8' | 'utf16le' | 'broken'
}

/** Stands for the id of a session that is open. */
export const SESSION = '{session}'

const HEADER_NAMES = [
  'Host',
  'Origin',
  'Accept',
  'Content-Type',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Param-Region',
  'Mcp-Param-',
  'Last-Event-ID',
  'Expect',
  'Upgrade',
  'Content-Encoding',
  'X-Http-Method-Override',
  'Forwarded',
  '__proto__',
  'constructor',
] as const

const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'x',
    'localhost',
    'localhost:99999',
    '127.0.0.1:1',
    '[::1]',
    'evil.example.com',
    'localhost@evil.example.com',
    'http://localhost',
    'http://localhost:5173, https://evil.example.com',
    'https://evil.example.com',
    'null',
    '*/*',
    'application/json',
    'application/*',
    'text/event-stream',
    'application/json, text/event-stream',
    'text/plain; a=application/json',
    'APPLICATION/JSON;charset=utf-16',
    'application/json-seq',
    'multipart/form-data; boundary=x',
    '2026-07-28',
    '2025-11-25',
    '2024-11-05',
    '1900-01-01',
    '9999-99-99',
    'tools/call',
    'tools/list',
    'add',
    '=?base64?YWRk?=',
    '=?base64?%%%?=',
    '100-continue',
    'websocket',
    'gzip',
    '\u00ff\u00fe',
    'a\tb',
    '__proto__',
    '00000000-0000-0000-0000-000000000000',
  ),
  fc.constantFrom(CANARY.header, 'x'.repeat(4_000), 'x'.repeat(20_000), 'a\u0000b', 'a\rb'),
)

interface HeaderChange {
  readonly kind: 'drop' | 'replace' | 'repeat'
  readonly name: string
  readonly value: string
}

const headerChange: fc.Arbitrary<HeaderChange> = fc
  .record({
    kind: fc.constantFrom<HeaderChange['kind']>('drop', 'replace', 'replace', 'repeat'),
    name: fc.constantFrom(...HEADER_NAMES),
    value: headerValue,
  })
  // What names the canary is logged on purpose, to help whoever mounts the bridge under a name of its own.
  .filter(({ name, value }) => !(value === CANARY.header && (name === 'Host' || name === 'Origin')))

export const httpCase: fc.Arbitrary<HttpCase> = fc
  .record({
    message,
    verb: weighted('POST', 'GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'post'),
    path: weighted(
      '/mcp',
      '/',
      '//x//',
      '/../..',
      '/mcp?token=x',
      `/${'p'.repeat(3_000)}`,
      'http://evil.example.com/mcp',
      '*',
    ),
    framing: weighted<HttpCase['framing']>('length', 'chunked', 'too short', 'too long', 'none', 'twice'),
    encoding: weighted<HttpCase['encoding']>('utf8', 'utf16le', 'broken'),
    session: weighted(SESSION, undefined, 'unknown'),
    authorised: fc.boolean(),
    changes: fc.oneof(
      { weight: 2, arbitrary: fc.constant<HeaderChange[]>([]) },
      { weight: 1, arbitrary: fc.array(headerChange, { minLength: 1, maxLength: 3 }) },
    ),
  })
  .map(({ session, authorised, changes, ...rest }) => {
    const headers: Header[] = [
      ['Host', 'localhost'],
      ['Accept', 'application/json, text/event-stream'],
      ['Content-Type', 'application/json'],
      ...headersOf(rest.message, session),
      ...(authorised ? ([['Authorization', `Bearer ${CANARY.authorization}`]] as const) : []),
    ]
    return { ...rest, headers: changes.reduce(changed, headers) }
  })

/** The first nearly always. */
function weighted<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

function headersOf({ era, method, name }: Message, session: string | undefined): Header[] {
  if (era === 'modern') {
    return [
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', method],
      ...(name === undefined ? [] : ([['Mcp-Name', name]] as const)),
    ]
  }
  if (method === 'initialize') return []
  return [
    ['MCP-Protocol-Version', '2025-11-25'],
    ...(session === undefined ? [] : ([['Mcp-Session-Id', session]] as const)),
  ]
}

function changed(headers: readonly Header[], { kind, name, value }: HeaderChange): Header[] {
  const others = headers.filter(([other]) => other !== name)
  if (kind === 'drop') return others
  return kind === 'replace' ? [...others, [name, value]] : [...headers, [name, value]]
}

export function bodyOf({ message, encoding }: HttpCase): Buffer {
  const body = Buffer.from(message.text, encoding === 'utf16le' ? 'utf16le' : 'utf8')
  if (encoding === 'broken') body.fill(0xff, body.length >> 1)
  return body
}

/** What is written to the socket. */
export function bytesOf(request: HttpCase, sessionId: string): Buffer {
  const { verb, path, headers, framing } = request
  const body = bodyOf(request)
  const lines = headers.map(([name, value]) => `${name}: ${value.replace(SESSION, sessionId)}`)
  const framed = {
    length: [`Content-Length: ${body.length}`],
    chunked: ['Transfer-Encoding: chunked'],
    'too short': [`Content-Length: ${body.length >> 1}`],
    'too long': [`Content-Length: ${body.length + 10}`],
    none: [],
    twice: [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
  }[framing]
  const head = [`${verb} ${path} HTTP/1.1`, ...lines, ...framed, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), framing === 'chunked' ? chunked(body) : body])
}

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = []
  const size = Math.max(1, Math.ceil(body.length / 3))
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}
