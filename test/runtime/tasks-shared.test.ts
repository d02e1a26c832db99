import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { type Store, storeKey } from '../../src/interceptors/stores/store.js'
import { deferred, gist } from './runtime-fixture.js'
import { ada, bob, NAME_FORM, standing, taskRuntime, taskTool } from './tasks-fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const HOUR = 3_600_000

/** Waits for `ms`, or for its signal. */
const sleeps = taskTool(
  'sleeps',
  ({ args, signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve('slept'), Number(args.ms))
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
  { metadata: { timeoutMs: 10 * HOUR } },
)

const asking = taskTool('asking', async ({ ask }) => {
  const answer = await ask({ key: 'name', message: 'Name?', schema: NAME_FORM })
  return answer.action === 'accept' ? answer.content.name : answer.action
})

/** A store as a process sees it that can be killed: nothing that it does after that comes to anything. */
function mortal(store: Store) {
  const life = { isOver: false }
  const proxy = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => (life.isOver ? new Promise(() => undefined) : method.apply(target, args))
    },
  })
  const kill = () => {
    life.isOver = true
  }
  return { store: proxy, kill }
}

/** Timers that do not end by themselves. */
async function timersLeft(): Promise<number> {
  await vi.advanceTimersByTimeAsync(11 * HOUR)
  return vi.getTimerCount()
}

/** Two processes with one store; the first one can be killed. */
async function twoProcesses(tools = [sleeps, asking], options = {}) {
  let pausedMs = 0
  const store = new MemoryStore({ clock: { now: () => performance.now() + pausedMs } })
  const first = mortal(store)
  const one = await taskRuntime({ tools, store: first.store, options })
  const other = await taskRuntime({ tools, store, options })
  /** Time goes by in which no process does anything. */
  const pause = (ms: number) => {
    pausedMs += ms
  }
  return { one: one.runtime, other: other.runtime, store, kill: first.kill, pause, logger: one.logger }
}

it('is seen by another process, also once it has ended', async () => {
  const { one, other } = await twoProcesses()
  const { id } = await one.tasks.start('sleeps', { ms: 5_000 }, ada)
  expect(await other.tasks.get(id, bob)).toBeUndefined()
  const seen = await other.tasks.get(id, ada)
  if (seen === undefined) throw new Error('not found')
  expect(await standing(seen)).toEqual({ status: 'working' })
  const result = seen.result()
  await vi.advanceTimersByTimeAsync(6_000)
  expect(gist(await result)).toEqual({ value: 'slept' })
  await one.close()
  expect(await standing(seen)).toEqual({ status: 'completed', value: 'slept' })
})

it('is cancelled from another process', async () => {
  const { one, other } = await twoProcesses()
  const task = await one.tasks.start('sleeps', { ms: HOUR }, ada)
  await (await other.tasks.get(task.id, ada))?.cancel()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await standing(task)).toEqual({ status: 'cancelled', code: 'ABORTED', outcome: 'unknown' })
})

it('is answered from another process, once', async () => {
  const { one, other } = await twoProcesses()
  const task = await one.tasks.start('asking', {}, ada)
  await vi.advanceTimersByTimeAsync(0)
  const seen = await other.tasks.get(task.id, ada)
  expect(seen && (await standing(seen))).toEqual({ status: 'input_required', questions: ['name'] })
  expect(await seen?.answer({ unknown: { action: 'cancel' } })).toEqual(['unknown'])
  await seen?.answer({ name: { action: 'accept', content: { name: 'Ada' } } })
  await seen?.answer({ name: { action: 'decline' } })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(gist(await task.result())).toEqual({ value: 'Ada' })
})

it('has failed when the process that ran it is gone, and nothing of it comes after that', async () => {
  const { one, other, kill } = await twoProcesses()
  const { id } = await one.tasks.start('sleeps', { ms: HOUR }, ada)
  const seen = await other.tasks.get(id, ada)
  if (seen === undefined) throw new Error('not found')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await standing(seen)).toEqual({ status: 'working' })
  kill()
  await vi.advanceTimersByTimeAsync(14_000)
  expect(await standing(seen)).toEqual({ status: 'working' })
  await vi.advanceTimersByTimeAsync(2_000)
  const statusMessage = 'The process that ran sleeps is gone: what it has done is not known'
  expect(await standing(seen)).toEqual({
    status: 'failed',
    statusMessage,
    code: 'EXECUTION_FAILED',
    outcome: 'unknown',
  })
  expect(gist(await seen.result())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
})

it('is aborted by a process that was thought to be gone, and comes back', async () => {
  const { one, other, pause } = await twoProcesses()
  const task = await one.tasks.start('sleeps', { ms: HOUR }, ada)
  pause(20_000)
  const seen = await other.tasks.get(task.id, ada)
  expect(seen && (await standing(seen))).toMatchObject({ status: 'failed' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(gist(await task.result())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
  await one.close()
  expect(await standing(task)).toMatchObject({ status: 'failed' })
})

it('expires some time after it has ended, and not while it runs', async () => {
  const { one, other } = await twoProcesses([sleeps], { tasks: { ttlMs: 10_000 } })
  const task = await one.tasks.start('sleeps', { ms: 60_000 }, ada)
  const seen = await other.tasks.get(task.id, ada)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(seen && (await standing(seen))).toEqual({ status: 'working' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await standing(task)).toEqual({ status: 'completed', value: 'slept' })
  const { createdAt, expiresAt } = (await task.state()) ?? {}
  expect(Number(expiresAt) - Number(createdAt)).toBe(70_000)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await task.state()).toBeUndefined()
  expect(await one.tasks.get(task.id, ada)).toBeUndefined()
  expect(gist(await task.result())).toEqual({ code: 'TOOL_UNAVAILABLE', outcome: 'unknown' })
})

it('is stored when the store works again', async () => {
  const { one, other, store, logger } = await twoProcesses()
  const task = await one.tasks.start('sleeps', { ms: 1_500 }, ada)
  const broken = vi.spyOn(store, 'compareAndSet').mockRejectedValue(new Error('no connection'))
  await vi.advanceTimersByTimeAsync(4_000)
  expect(await standing(task)).toEqual({ status: 'completed', value: 'slept' })
  broken.mockRestore()
  const seen = await other.tasks.get(task.id, ada)
  expect(seen && (await standing(seen))).toEqual({ status: 'working' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(seen && (await standing(seen))).toEqual({ status: 'completed', value: 'slept' })
  expect(
    logger.lines.filter(({ message }) => /state of tasks/.test(message)).map(({ message }) => message),
  ).toEqual(['the state of tasks cannot be stored', 'the state of tasks can be stored again'])
})

it('is drained when the runtime closes, or says that it was ended', async () => {
  const { one, other } = await twoProcesses()
  const short = await one.tasks.start('sleeps', { ms: 2_000 }, ada)
  const long = await one.tasks.start('sleeps', { ms: HOUR }, ada)
  const open = await one.tasks.start('asking', {}, ada)
  const closing = one.close({ drainMs: 5_000 })
  await vi.advanceTimersByTimeAsync(5_000)
  await closing
  expect(await standing(short)).toEqual({ status: 'completed', value: 'slept' })
  const ended = { status: 'completed', code: 'SHUTTING_DOWN', outcome: 'unknown' }
  expect(await standing(long)).toEqual(ended)
  const seen = await other.tasks.get(open.id, ada)
  expect(seen && (await standing(seen))).toEqual(ended)
  expect(await timersLeft()).toBe(0)
})

it('gives up what a broken store does not take when the runtime closes', async () => {
  const { one, kill, logger } = await twoProcesses()
  await one.tasks.start('sleeps', { ms: 2_000 }, ada)
  await vi.advanceTimersByTimeAsync(0)
  kill()
  const closing = one.close()
  await vi.advanceTimersByTimeAsync(60_000)
  await closing
  expect(logger.lines.map(({ message }) => message)).toContain('the end of a task could not be stored')
  expect(await timersLeft()).toBe(0)
})

it('leaves nothing behind', async () => {
  const { one, store } = await twoProcesses()
  const tasks = await Promise.all(
    Array.from({ length: 500 }, (_, index) => one.tasks.start('sleeps', { ms: 1_000 + index }, ada)),
  )
  await vi.advanceTimersByTimeAsync(500)
  await Promise.all(tasks.filter((_, index) => index % 2 === 0).map((task) => task.cancel()))
  await vi.advanceTimersByTimeAsync(3_000)
  const standings = await Promise.all(tasks.map(async (task) => (await task.state())?.status))
  expect(standings).toEqual(tasks.map((_, index) => (index % 2 === 0 ? 'cancelled' : 'completed')))
  const leases = await Promise.all(
    tasks.map(({ id }) => store.lease(storeKey('task-owner', id), { ttlMs: 1 })),
  )
  expect(leases.filter((lease) => lease === undefined)).toEqual([])
  expect(await timersLeft()).toBe(0)
})

it('holds the deadline while it asks', async () => {
  const gate = deferred()
  const slow = taskTool(
    'slow',
    async ({ ask }) => {
      await ask({ key: 'name', message: 'Name?', schema: NAME_FORM })
      await gate.promise
    },
    { metadata: { timeoutMs: 1_000 } },
  )
  const { one } = await twoProcesses([slow])
  const task = await one.tasks.start('slow', {}, ada)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(await standing(task)).toEqual({ status: 'input_required', questions: ['name'] })
  await task.answer({ name: { action: 'decline' } })
  await vi.advanceTimersByTimeAsync(1_500)
  expect(await standing(task)).toEqual({ status: 'completed', code: 'TIMEOUT', outcome: 'unknown' })
  gate.resolve()
})
