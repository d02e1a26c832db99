import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, it, vi } from 'vitest'
import { AttributeKey } from '../../src/registry/call-attributes.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { deferred, tool } from '../runtime/runtime-fixture.js'
import { NAME_FORM, taskTool } from '../runtime/tasks-fixture.js'
import { caller, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, send } from './fixtures/http-server.js'
import { WAYS } from './fixtures/ways.js'

vi.setConfig({ testTimeout: 30_000 })

const EXTENSION = 'io.modelcontextprotocol/tasks'
const ada = caller('ada')
const bob = caller('bob')
type Json = Readonly<Record<string, unknown>>

/** A client that knows tasks, and what else it says of itself. */
function client(url: string, { capabilities = {}, as = ada, knowsTasks = true } = {}) {
  const extensions = knowsTasks ? { extensions: { [EXTENSION]: {} } } : {}
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { ...capabilities, ...extensions } }
  let lastId = 0
  /** The result, or the error. */
  const request = async (method: string, params: Json, signal?: AbortSignal): Promise<Json> => {
    const { headers, body } = modern(++lastId, method, { ...params, _meta })
    const name = params.taskId === undefined ? {} : { 'mcp-name': String(params.taskId) }
    const response = await send(url, {
      headers: { ...headers, ...as.headers, ...name },
      body,
      ...(signal && { signal }),
    })
    const { result, error } = (await messagesOf(response)).at(-1) ?? {}
    return (result ?? error) as Json
  }
  const get = (taskId: unknown) => request('tasks/get', { taskId })
  return {
    request,
    get,
    call: (name: string, args: Json = {}, more: Json = {}) =>
      request('tools/call', { name, arguments: args, ...more }),
    update: (taskId: unknown, inputResponses: Json) => request('tasks/update', { taskId, inputResponses }),
    cancel: (taskId: unknown) => request('tasks/cancel', { taskId }),
    until: (taskId: unknown, status: string) =>
      vi.waitFor(
        async () => {
          const task = await get(taskId)
          expect(task).toMatchObject({ status })
          return task
        },
        { timeout: 5_000 },
      ),
  }
}

const sums = ToolDefinition.builder()
  .name('sums')
  .description('Adds one')
  .parameterSchema(JsonSchema.object({ a: SchemaProperty.INTEGER }, { required: ['a'] }))
  .outputSchema({ type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] })
  .metadata({ task: 'optional' })
  .executor(({ args }) => ({ sum: args.a + 1 }))
  .build()

const asking = taskTool('asking', async ({ ask }) => {
  const answers = await Promise.all([
    ask({ key: 'first', message: 'First name?', schema: NAME_FORM }),
    ask({ key: 'page', kind: 'url', message: 'Agree?', url: 'https://example.com/terms' }),
  ])
  return answers.map(({ action }) => action)
})

const endless = taskTool(
  'endless',
  ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
)

const only = taskTool('only', () => 'done', { metadata: { task: 'required' } })

const unknownTask = { code: -32602, message: 'Unknown task: there is none of this id, or it has expired' }
const required = {
  code: -32021,
  message: `The client must declare the extension ${EXTENSION}`,
  data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
}

it('answers a call with a task, and the task with what the call would have been answered', async () => {
  await using host = await hosted({ tools: [sums] })
  const { call, until } = client(host.url)
  const created = await call('sums', { a: 1 })
  expect(created).toEqual({
    resultType: 'task',
    taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    ttlMs: expect.any(Number),
    pollIntervalMs: 1_000,
    // The SDK's, which knows no result of a tool without.
    content: [],
    _meta: expect.anything(),
  })
  expect(created.ttlMs).toBeGreaterThanOrEqual(3_600_000)
  const { content: _, ...task } = created
  expect(await until(created.taskId, 'completed')).toEqual({
    ...task,
    resultType: 'complete',
    status: 'completed',
    lastUpdatedAt: expect.any(String),
    ttlMs: expect.any(Number),
    result: { content: [{ type: 'text', text: '{"sum":2}' }], structuredContent: { sum: 2 } },
  })
})

it('answers at once what does not come to the executor', async () => {
  const refusing: ToolInterceptor = {
    name: 'cache',
    beforeExecute: () => {
      throw new Error('broken')
    },
  }
  await using host = await hosted({
    tools: [sums, taskTool('guarded', () => 'done', { interceptors: [refusing] })],
  })
  const { call } = client(host.url)
  expect(await call('sums', { a: 'one' })).toMatchObject({ resultType: 'complete', isError: true })
  expect(await call('guarded')).toMatchObject({ resultType: 'complete', isError: true })
  expect(await call('sums', [] as never)).toMatchObject({ code: -32602 })
  expect(await call('unknown')).toMatchObject({ code: -32602 })
})

it('becomes a task when it has to wait before it begins', async () => {
  const gate = deferred()
  const queue: ToolInterceptor = {
    name: 'queue',
    aroundExecute: async (ctx, next) => {
      await gate.promise
      return next(ctx)
    },
  }
  await using host = await hosted({ tools: [taskTool('queued', () => 'done', { interceptors: [queue] })] })
  const { call, get, until } = client(host.url)
  const { taskId, resultType } = await call('queued')
  expect(resultType).toBe('task')
  expect(await get(taskId)).toMatchObject({ status: 'working' })
  gate.resolve()
  expect(await until(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'done' }] } })
})

it('asks in rounds before it begins, and as a task after that', async () => {
  const NAME = new AttributeKey<string>('name')
  const asksFirst: ToolInterceptor = {
    name: 'asksFirst',
    beforeExecute: async ({ ask, attributes }) => {
      const answer = await ask({ key: 'user', message: 'Who?', schema: NAME_FORM })
      if (answer.action === 'accept') attributes.set(NAME, String(answer.content.name))
    },
  }
  const both = taskTool(
    'both',
    async ({ ask, attributes }) => {
      const { action } = await ask({ key: 'sure', message: 'Sure?', schema: NAME_FORM })
      return `${attributes.get(NAME)}: ${action}`
    },
    { interceptors: [asksFirst] },
  )
  await using host = await hosted({ tools: [both] })
  const { call, until, update } = client(host.url, { capabilities: { elicitation: {} } })
  const asked = await call('both')
  expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { user: {} } })
  const { requestState } = asked
  const user = { action: 'accept', content: { name: 'Ada' } }
  const created = await call('both', {}, { requestState, inputResponses: { user } })
  expect(created).toMatchObject({ resultType: 'task' })
  expect(created).not.toHaveProperty('requestState')
  const waiting = await until(created.taskId, 'input_required')
  expect(Object.keys(waiting.inputRequests as Json)).toEqual(['sure'])
  expect(await update(created.taskId, { sure: { action: 'decline' } })).toMatchObject({
    resultType: 'complete',
  })
  expect(await until(created.taskId, 'completed')).toMatchObject({
    result: { content: [{ text: 'Ada: decline' }] },
  })
})

it('shows all that it asks, and takes answers one by one', async () => {
  await using host = await hosted({ tools: [asking] })
  const { call, get, until, update } = client(host.url, {
    capabilities: { elicitation: { form: {}, url: {} } },
  })
  const { taskId } = await call('asking')
  const waiting = await until(taskId, 'input_required')
  expect(waiting.inputRequests).toEqual({
    first: {
      method: 'elicitation/create',
      params: { message: 'First name?', requestedSchema: NAME_FORM },
    },
    page: {
      method: 'elicitation/create',
      params: {
        mode: 'url',
        message: 'Agree?',
        url: 'https://example.com/terms',
        elicitationId: `${taskId}/page`,
      },
    },
  })
  expect((await get(taskId)).inputRequests).toEqual(waiting.inputRequests)
  await update(taskId, { page: { action: 'accept' }, other: { action: 'accept' } })
  expect(Object.keys((await get(taskId)).inputRequests as Json)).toEqual(['first'])
  await update(taskId, { page: { action: 'decline' }, first: { action: 'cancel' } })
  expect(await until(taskId, 'completed')).toMatchObject({
    result: { content: [{ text: '["cancel","accept"]' }] },
  })
})

it('fails as the request would have, when it asks what the client cannot answer', async () => {
  await using host = await hosted({ tools: [asking] })
  const { call, until } = client(host.url, { capabilities: { elicitation: {} } })
  const { taskId } = await call('asking')
  expect(await until(taskId, 'failed')).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
  })
})

it('is cancelled by its client, and by nobody who merely leaves', async () => {
  await using host = await hosted({ tools: [endless] })
  const { call, cancel, until, request } = client(host.url)
  const { taskId } = await call('endless')
  const leaving = new AbortController()
  await request('tasks/get', { taskId }, leaving.signal)
  leaving.abort()
  expect(await client(host.url).get(taskId)).toMatchObject({ status: 'working' })
  expect(await cancel(taskId)).toEqual({ resultType: 'complete', _meta: expect.anything() })
  expect(await until(taskId, 'cancelled')).not.toHaveProperty('result')
  expect(await cancel(taskId)).toMatchObject({ resultType: 'complete' })
})

it('is unknown to every other caller, and on a bridge that does not serve its tool', async () => {
  await using host = await hosted({
    tools: [endless, tool('other', () => 1, { metadata: { tags: ['public'] } })],
  })
  await using elsewhere = await host.also({ expose: { tags: ['public'] } })
  const { taskId } = await client(host.url).call('endless')
  for (const stranger of [client(host.url, { as: bob }), client(elsewhere.url)]) {
    expect(await stranger.get(taskId)).toEqual(unknownTask)
    expect(await stranger.update(taskId, {})).toEqual(unknownTask)
    expect(await stranger.cancel(taskId)).toEqual(unknownTask)
  }
  expect(await client(host.url).get(taskId)).toMatchObject({ status: 'working' })
  const { id } = await host.runtime.tasks.start('endless', {}, { principal: ada.principal })
  expect(await client(host.url).get(id)).toEqual(unknownTask)
  expect(await client(host.url).get('')).toEqual(unknownTask)
  expect(await client(host.url).request('tasks/get', {})).toMatchObject({ code: -32602 })
  await host.runtime.close({ drainMs: 0 })
})

it('is for clients alone that have declared the extension', async () => {
  await using host = await hosted({ tools: [sums, only, endless] })
  const plain = client(host.url, { knowsTasks: false })
  expect(await plain.call('sums', { a: 1 })).toMatchObject({ structuredContent: { sum: 2 } })
  expect(await plain.call('only')).toEqual(required)
  const { taskId } = await client(host.url).call('endless')
  expect(await plain.get(taskId)).toEqual(required)
  expect(await plain.update(taskId, {})).toEqual(required)
  expect(await plain.cancel(taskId)).toEqual(required)
  const listening = { notifications: { taskIds: [taskId] } }
  expect(await plain.request('subscriptions/listen', listening)).toEqual(required)
  expect(await plain.request('tasks/list', {})).toMatchObject({ code: -32601 })
  expect(await plain.request('server/discover', {})).toMatchObject({
    capabilities: { extensions: { [EXTENSION]: {} } },
  })
  await host.runtime.close({ drainMs: 0 })
})

it('agrees to no notifications of tasks', async () => {
  await using host = await hosted({ tools: [endless] })
  const { headers, body } = modern(1, 'subscriptions/listen', {
    notifications: { taskIds: ['some'] },
    _meta: { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } } },
  })
  const messages = await messagesOf(await send(host.url, { headers: { ...headers, ...ada.headers }, body }))
  expect(messages[0]).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: {} },
  })
})

it('has an answer for every client of a tool that is a task only', async () => {
  await using host = await hosted({ tools: [only, sums] })
  for (const way of WAYS) {
    const connected = await way.connect(host)
    const answer = await connected.call('only')
    if (way.era === 'modern') expect(answer, way.name).toMatchObject({ code: -32021 })
    else {
      expect(answer, way.name).toMatchObject({
        isError: true,
        _meta: { 'toolwire/error': { code: 'TOOL_UNAVAILABLE', outcome: 'not-started' } },
      })
    }
    expect(await connected.call('sums', { a: 1 }), way.name).toMatchObject({ structuredContent: { sum: 2 } })
    await connected.close()
  }
})

it('is there over a connection too, and after a reconnect', async () => {
  await using host = await hosted({ tools: [endless] })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } },
  }
  const connect = async () => {
    const [end, served] = InMemoryTransport.createLinkedPair()
    const answers: Json[] = []
    end.onmessage = (message) => void answers.push(message as never)
    await end.start()
    const connection = await host.bridge.connect(served, { principal: ada.principal })
    const request = async (id: number, method: string, params: Json, meta: Json = _meta) => {
      await end.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })
      return vi.waitFor(() => {
        const found = answers.find((message) => message.id === id)
        expect(found).toBeDefined()
        return (found?.result ?? found?.error) as Json
      })
    }
    return { request, close: () => connection.close() }
  }
  const first = await connect()
  const { taskId } = await first.request(1, 'tools/call', { name: 'endless', arguments: {} })
  await first.close()
  const second = await connect()
  expect(await second.request(1, 'tasks/get', { taskId })).toMatchObject({ status: 'working' })
  const listening = { notifications: { taskIds: [taskId] } }
  const undeclared = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': {} }
  expect(await second.request(2, 'subscriptions/listen', listening, undeclared)).toEqual(required)
  await second.request(3, 'tasks/cancel', { taskId })
  expect(await second.request(4, 'tasks/get', { taskId })).toMatchObject({ status: 'cancelled' })
  await second.close()
})
