import fc from 'fast-check'
import type { Era } from '../../../src/bridge/era.js'
import { jsonText, type Mutation, mutated, mutation, oddValue } from './odd-json.js'
import { CANARY } from './secrets.js'

type Params = Readonly<Record<string, unknown>>

export interface Message {
  readonly era: Era
  readonly method: string
  readonly text: string
  /** As a well-behaved client writes it. */
  readonly intact: boolean
  /** Of the message before anything was done to it: what the headers of the modern era repeat. */
  readonly name: string | undefined
}

const HANDSHAKE: Params = {
  protocolVersion: '2025-11-25',
  capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } },
  clientInfo: { name: 'fuzz', version: '1', title: 'F', icons: [{ src: 'https://example.com/i.png' }] },
}

/** Requests that the server knows or might know, with parameters that are right. */
export const REQUESTS: readonly (readonly [method: string, params?: Params])[] = [
  ['initialize', HANDSHAKE],
  ['initialize', { ...HANDSHAKE, protocolVersion: '2024-11-05' }],
  ['ping'],
  ['ping', {}],
  ['server/discover', {}],
  ['tools/list'],
  ['tools/list', {}],
  ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }],
  ['tools/call', { name: 'greet' }],
  ['tools/call', { name: 'boom', arguments: { password: CANARY.argument } }],
  ['tools/call', { name: 'echo', arguments: { text: CANARY.argument, deep: { list: [1, { x: null }] } } }],
  ['tools/call', { name: 'steps', arguments: {}, _meta: { progressToken: 0 } }],
  ['logging/setLevel', { level: 'error' }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'docs://readme' }],
  ['resources/read', { uri: 'docs://pages/intro' }],
  ['resources/subscribe', { uri: 'docs://readme' }],
  ['resources/unsubscribe', { uri: 'docs://readme' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'review', arguments: { style: 'short' } }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'style', value: 's' },
      context: { arguments: { language: 'en' } },
    },
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'docs://pages/{page}' }, argument: { name: 'page', value: '' } },
  ],
  [
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: ['docs://readme'] } },
  ],
  ['tasks/get', { taskId: 'x' }],
  ['sampling/createMessage', { messages: [], maxTokens: 1 }],
  ['roots/list', {}],
  ['no/such/method', { x: CANARY.argument }],
  ['__proto__', {}],
  ['constructor'],
  ['', {}],
]

const NOTIFICATIONS: readonly (readonly [method: string, params?: Params])[] = [
  ['notifications/initialized'],
  ['notifications/cancelled', { requestId: 99, reason: CANARY.argument }],
  ['notifications/cancelled', { requestId: CANARY.id }],
  ['notifications/progress', { progressToken: CANARY.id, progress: 1, message: CANARY.argument }],
  ['notifications/roots/list_changed', {}],
  ['notifications/message', { level: 'error', data: CANARY.argument }],
  ['notifications/no_such', { x: CANARY.argument }],
]

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} },
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'example.com/secret': CANARY.meta,
}

/** Ids as MCP allows them. */
export const goodId: fc.Arbitrary<string | number> = fc.oneof(
  fc.integer(),
  fc.constantFrom<string | number>(
    0,
    -1,
    Number.MAX_SAFE_INTEGER,
    '',
    'x',
    '0',
    '\u0000',
    '\u0000toolwire:0',
    '\u0000toolwire:x',
    '\ud800',
    '__proto__',
    'constructor',
    CANARY.id,
    'i'.repeat(1_000),
  ),
)

const badId = fc.oneof(oddValue, fc.constantFrom<unknown>('i'.repeat(1_001), 2 ** 53, 1.5, null, {}, []))

interface Draft {
  readonly era: Era
  readonly method: string
  readonly value: Readonly<Record<string, unknown>>
  readonly name: string | undefined
}

function draft(era: Era, [method, params]: readonly [string, Params?], id?: unknown): Draft {
  const { _meta, ...rest } = params ?? {}
  const withMeta =
    era === 'modern'
      ? { ...rest, _meta: { ...MODERN_META, ...(_meta as object) } }
      : params && { ...params, _meta: { 'example.com/secret': CANARY.meta, ...(_meta as object) } }
  const value = {
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    method,
    ...(withMeta && { params: withMeta }),
  }
  const name = [rest.name, rest.uri, rest.taskId].find((one) => typeof one === 'string') as string | undefined
  return { era, method, value, name }
}

const era = fc.constantFrom<Era>('legacy', 'modern')

const drafts: fc.Arbitrary<Draft> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(era, fc.constantFrom(...REQUESTS), goodId).map((parts) => draft(...parts)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(era, fc.constantFrom(...REQUESTS), badId).map((parts) => draft(...parts)),
  },
  { weight: 2, arbitrary: fc.tuple(era, fc.constantFrom(...NOTIFICATIONS)).map((parts) => draft(...parts)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        goodId,
        fc.constantFrom<object>(
          { result: { secret: CANARY.argument } },
          { error: { code: 1, message: CANARY.argument } },
          { result: {}, error: { code: 1, message: '' } },
        ),
      )
      .map(
        ([id, outcome]): Draft => ({
          era: 'legacy',
          method: '',
          value: { jsonrpc: '2.0', id, ...outcome },
          name: undefined,
        }),
      ),
  },
)

/** What is done to the text of a message. */
const TEXT_CHANGES: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, -1),
  (text) => text.slice(0, text.length >> 1),
  (text) => `${text},`,
  (text) => `[${text}]`,
  (text) => `[${text},${text}]`,
  (text) => `[${`${text},`.repeat(150)}1]`,
  () => '[]',
  () => '',
  () => 'null',
  () => '"text"',
  () => '{}',
  (text) => ` \n\t${text}\r\n `,
  (text) => `\ufeff${text}`,
  (text) => text.replace('{', '{"id":8,'),
  (text) => text.replace('{', '{"method":"ping","__proto__":{"polluted":true},'),
  (text) => text.replace('"params":{', '"params":{"_meta":5,'),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace('2.0', '2'),
  (text) => text.replace(/:("[^"]*")/, ':\u0000$1'),
  (text) => text.replace('"params":{', `"params":{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},`),
  (text) => text.replace('"params":{', `"params":{"huge":"${'h'.repeat(70_000)}",`),
  (text) => text.replace('"params":{', `"params":{"huge":"${'h'.repeat(200_000)}",`),
]

const textChange = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...TEXT_CHANGES) },
)

/** A message that is right or nearly so. Shrinks to one that is right. */
export const message: fc.Arbitrary<Message> = fc
  .tuple(
    drafts,
    fc.oneof(
      { weight: 1, arbitrary: fc.constant<Mutation[]>([]) },
      { weight: 2, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
    ),
    textChange,
  )
  .map(([{ era, method, value, name }, mutations, change]) => {
    const text = jsonText(mutations.reduce<unknown>(mutated, value))
    return {
      era,
      method,
      name,
      text: change === undefined ? text : change(text),
      intact: mutations.length === 0 && change === undefined,
    }
  })
