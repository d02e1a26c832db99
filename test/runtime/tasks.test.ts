import { expect, expectTypeOf, it, vi } from 'vitest'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import {
  InvalidArgumentsError,
  OverloadedError,
  RateLimitedError,
  ToolError,
} from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { resultOf, resultText } from '../../src/runtime/tasks/result-text.js'
import type { ToolTask } from '../../src/runtime/tasks/tool-task.js'
import { deferred, gist, tool } from './runtime-fixture.js'
import { ada, bob, NAME_FORM, standing, taskRuntime, taskTool } from './tasks-fixture.js'

/** Works until it is told to stop, or aborted. */
function patient() {
  const gate = deferred<string>()
  const aborted = deferred<unknown>()
  const waits = taskTool('waits', ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve(signal.reason))
    return Promise.race([gate.promise, aborted.promise.then((reason) => Promise.reject(reason))])
  })
  return { waits, gate, aborted }
}

it('goes on by itself, and has the result of the call', async () => {
  const { waits, gate } = patient()
  const { tasks } = await taskRuntime({ tools: [waits] })
  const task = await tasks.start('waits')
  expect(task).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), toolName: 'waits' })
  expect(await standing(task)).toEqual({ status: 'working' })
  gate.resolve('done')
  expect(gist(await task.result())).toEqual({ value: 'done' })
  expect(await standing(task)).toEqual({ status: 'completed', value: 'done' })
})

it('is typed by its definition', async () => {
  const add = ToolDefinition.builder()
    .name('add')
    .description('Adds')
    .parameterSchema(JsonSchema.object({ a: SchemaProperty.INTEGER }, { required: ['a'] }))
    .metadata({ task: 'optional' })
    .executor(({ args }) => args.a + 1)
    .build()
  const { tasks } = await taskRuntime({ tools: [add] })
  const task = await tasks.start(add, { a: 1 })
  expectTypeOf(task).toEqualTypeOf<ToolTask<number>>()
  // @ts-expect-error a is a number
  void tasks.start(add, { a: 'one' })
  const result = await task.result()
  expect(result.ok && result.value).toBe(2)
})

it('passes the whole chain, and fails as a call does', async () => {
  const seen: string[] = []
  const recorder: ToolInterceptor = {
    name: 'recorder',
    beforeExecute: ({ toolName }) => void seen.push(`before ${toolName}`),
    afterExecute: ({ toolName }) => void seen.push(`after ${toolName}`),
    onError: (_ctx, { code }) => void seen.push(code),
  }
  const strict = ToolDefinition.builder()
    .name('strict')
    .description('Takes a number')
    .parameterSchema(JsonSchema.object({ a: SchemaProperty.INTEGER }, { required: ['a'] }))
    .metadata({ task: 'required' })
    .executor(() => 'done')
    .build()
  const failing = taskTool('failing', () => {
    throw new RateLimitedError('failing', 5_000)
  })
  const { tasks } = await taskRuntime({ tools: [strict, failing], interceptors: [recorder] })
  const refused = await tasks.start('strict', { a: 'one' })
  expect(gist(await refused.result())).toEqual({ code: 'INVALID_ARGUMENTS', outcome: 'not-started' })
  const done = await tasks.start('strict', { a: 1 })
  expect(gist(await done.result())).toEqual({ value: 'done' })
  const limited = await tasks.start('failing')
  expect(await await limited.result()).toMatchObject({ ok: false, error: { retryAfterMs: 5_000 } })
  expect(seen).toEqual(['before strict', 'after strict', 'before failing', 'RATE_LIMITED'])
})

it('begins only where there can be one', async () => {
  const { runtime, tasks } = await taskRuntime({ tools: [tool('never'), taskTool('may', () => 'done')] })
  const fault = (starting: Promise<unknown>) => starting.catch((error: unknown) => ToolError.from(error).code)
  expect(await fault(tasks.start('unknown'))).toBe('TOOL_NOT_FOUND')
  expect(await fault(tasks.start('never'))).toBe('TOOL_UNAVAILABLE')
  const closing = runtime.close()
  expect(await fault(tasks.start('may'))).toBe('SHUTTING_DOWN')
  await closing
})

it('outlives the signal that it was started with', async () => {
  const { waits, gate } = patient()
  const { tasks } = await taskRuntime({ tools: [waits] })
  const controller = new AbortController()
  const task = await tasks.start('waits', {}, { signal: controller.signal })
  controller.abort()
  await new Promise(setImmediate)
  gate.resolve('done')
  expect(gist(await task.result())).toEqual({ value: 'done' })
})

it('lets a waiting caller go, and works on', async () => {
  const { waits, gate } = patient()
  const { tasks } = await taskRuntime({ tools: [waits] })
  const task = await tasks.start('waits')
  const controller = new AbortController()
  const waiting = task.result({ signal: controller.signal })
  controller.abort(new Error('no time'))
  await expect(waiting).rejects.toThrow('no time')
  gate.resolve('done')
  expect(gist(await task.result())).toEqual({ value: 'done' })
})

it('is cancelled through its signal', async () => {
  const { waits, aborted } = patient()
  const { tasks } = await taskRuntime({ tools: [waits] })
  const task = await tasks.start('waits')
  await task.cancel()
  await aborted.promise
  expect(gist(await task.result())).toEqual({ code: 'ABORTED', outcome: 'unknown' })
  expect(await standing(task)).toEqual({ status: 'cancelled', code: 'ABORTED', outcome: 'unknown' })
  await task.cancel()
  expect(await standing(task)).toMatchObject({ status: 'cancelled' })
})

it('keeps its result when it is cancelled too late', async () => {
  const { tasks } = await taskRuntime({ tools: [taskTool('quick', () => 'done')] })
  const task = await tasks.start('quick')
  await task.result()
  await task.cancel()
  expect(await standing(task)).toEqual({ status: 'completed', value: 'done' })
})

it('asks, shows what is open, and goes on with the answers', async () => {
  const asking = taskTool('asking', async ({ ask }) => {
    const [first, second] = await Promise.all([
      ask({ key: 'first', message: 'First name?', schema: NAME_FORM }),
      ask({ key: 'second', message: 'Second name?', schema: NAME_FORM }),
    ])
    const third = await ask({ message: 'Sure?', schema: NAME_FORM })
    return [first, second, third].map((answer) =>
      answer.action === 'accept' ? answer.content.name : answer.action,
    )
  })
  const { tasks } = await taskRuntime({ tools: [asking] })
  const task = await tasks.start('asking')
  await vi.waitFor(async () =>
    expect(await standing(task)).toEqual({ status: 'input_required', questions: ['first', 'second'] }),
  )
  await task.answer({ first: { action: 'accept', content: { name: 'Ada' } }, other: { action: 'decline' } })
  expect(await standing(task)).toEqual({ status: 'input_required', questions: ['second'] })
  await task.answer({
    first: { action: 'decline' },
    second: { action: 'accept', content: { name: 'Lovelace' } },
  })
  await vi.waitFor(async () => expect(await standing(task)).toMatchObject({ questions: ['ask-3'] }))
  expect(await task.answer({ 'ask-3': { action: 'decline' }, first: { action: 'decline' } })).toEqual([
    'first',
  ])
  expect(gist(await task.result())).toEqual({ value: ['Ada', 'Lovelace', 'decline'] })
})

it('asks again, under another key, for an answer that cannot be used', async () => {
  const asking = taskTool('asking', async ({ ask }) => {
    const answer = await ask({ key: 'name', message: 'Name?', schema: NAME_FORM })
    return answer.action
  })
  const { tasks } = await taskRuntime({ tools: [asking] })
  const task = await tasks.start('asking')
  await vi.waitFor(async () => expect(await standing(task)).toMatchObject({ questions: ['name'] }))
  await task.answer({ name: { action: 'accept', content: { name: 7 } } } as never)
  await vi.waitFor(async () => expect(await standing(task)).toMatchObject({ questions: ['name-2'] }))
  await task.answer({ 'name-2': { action: 'cancel' } })
  expect(gist(await task.result())).toEqual({ value: 'cancel' })
})

it('asks by the option `ask` where it is given', async () => {
  const asking = taskTool(
    'asking',
    async ({ ask }) => (await ask({ message: 'Name?', schema: NAME_FORM })).action,
  )
  const { tasks } = await taskRuntime({ tools: [asking] })
  const task = await tasks.start('asking', {}, { ask: async () => ({ action: 'decline' }) })
  expect(gist(await task.result())).toEqual({ value: 'decline' })
})

it('tells what it does by its progress', async () => {
  const gate = deferred<string>()
  const reporting = taskTool('reporting', ({ progress }) => {
    progress(1, 2, 'half of it')
    return gate.promise
  })
  const { tasks } = await taskRuntime({ tools: [reporting] })
  const task = await tasks.start('reporting')
  expect(await standing(task)).toEqual({ status: 'working', statusMessage: 'half of it' })
  gate.resolve('done')
  await task.result()
  expect(await standing(task)).toEqual({ status: 'completed', value: 'done' })
})

it('is nobody else’s to find', async () => {
  const { waits } = patient()
  const { runtime, tasks } = await taskRuntime({ tools: [waits] })
  const task = await tasks.start('waits', {}, ada)
  expect((await tasks.get(task.id, ada))?.id).toBe(task.id)
  expect(await tasks.get(task.id, bob)).toBeUndefined()
  expect(await tasks.get(task.id)).toBeUndefined()
  expect(await tasks.get('', ada)).toBeUndefined()
  expect(await tasks.get('x'.repeat(1_000), ada)).toBeUndefined()
  expect(await tasks.get({} as never, ada)).toBeUndefined()
  await runtime.close({ drainMs: 0 })
})

it('is bounded for each caller and in all', async () => {
  const { tasks } = await taskRuntime({
    tools: [taskTool('quick', () => 'done')],
    options: { tasks: { maxPerCaller: 2, max: 3, ttlMs: 60_000 } },
  })
  const start = (caller: typeof ada) => tasks.start('quick', {}, caller).catch((error: unknown) => error)
  await start(ada)
  await start(ada)
  expect(await start(ada)).toMatchObject({ code: 'OVERLOADED', retryAfterMs: expect.any(Number) })
  expect(await start(bob)).toMatchObject({ toolName: 'quick' })
  expect(await start(bob)).toMatchObject({ code: 'OVERLOADED', outcome: 'not-started' })
})

it('does not begin without its store, and the tool does not run', async () => {
  const store = new MemoryStore()
  const executor = vi.fn(() => 'done')
  const { tasks } = await taskRuntime({ tools: [taskTool('quick', executor)], store })
  vi.spyOn(store, 'set').mockRejectedValueOnce(new Error('no connection'))
  const error = await tasks.start('quick').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OverloadedError)
  expect(executor).not.toHaveBeenCalled()
})

it('keeps every result and every error in its text', () => {
  const success = ToolExecutionResult.success(
    { a: [1, null] },
    { toolName: 't', durationMs: 3, content: [{ type: 'text', text: 'x' }], meta: { m: 1 }, degraded: true },
  )
  expect(resultOf(resultText(success))).toEqual(success)
  expect(resultOf(resultText(ToolExecutionResult.content()))).toEqual(ToolExecutionResult.content())
  const issue = { path: '/a', keyword: 'type', message: 'must be a number' }
  const error = new InvalidArgumentsError('t', [issue])
  Object.assign(error, { request: { token: 'secret' } })
  const failure = resultOf(resultText(ToolExecutionResult.failure(error, { toolName: 't', durationMs: 1 })))
  expect(failure.ok || failure.error).toBeInstanceOf(InvalidArgumentsError)
  expect(failure.ok || failure.error.toJSON()).toEqual(new InvalidArgumentsError('t', [issue]).toJSON())
  class OwnError extends ToolError {
    readonly code = 'MINE'
  }
  const own = resultOf(resultText(ToolExecutionResult.failure(new OwnError('mine', { retryable: true }))))
  expect(own.ok || own.error).toMatchObject({ code: 'MINE', message: 'mine', retryable: true })
  expect(own.ok || ToolError.is(own.error)).toBe(true)
})
