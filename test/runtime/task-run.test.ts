import { expect, it } from 'vitest'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { TaskRun } from '../../src/runtime/tasks/task-run.js'
import { taskSettings } from '../../src/runtime/tasks/task-settings.js'
import { TaskStore } from '../../src/runtime/tasks/task-store.js'
import { deferred } from './runtime-fixture.js'

/** A task whose record takes as long to store as it is let. */
function beginning() {
  const gate = deferred()
  const memory = new MemoryStore()
  const set = memory.set.bind(memory)
  memory.set = async (...args) => {
    await gate.promise
    return set(...args)
  }
  const settings = taskSettings({}, (_option, _given, _variable, fallback) => fallback)
  const store = new TaskStore(memory, settings)
  const begun: TaskRun[] = []
  const run = new TaskRun({
    toolName: 'slow',
    caller: {},
    door: {},
    store,
    onBegin: (one) => begun.push(one),
    onStoreFailure: (error) => {
      throw error
    },
  })
  return { run, gate, store, begun }
}

it('does not begin when its call asks in a round meanwhile, and leaves nothing', async () => {
  const { run, gate, store, begun } = beginning()
  const begins = run.begin()
  expect(run.endsWithQuestion()).toBe(true)
  gate.resolve()
  await expect(begins).rejects.toMatchObject({ code: 'ABORTED', outcome: 'not-started' })
  expect(await store.read(run.id)).toBeUndefined()
  expect(await store.takeLease(run.id)).toBeDefined()
  expect(begun).toEqual([])
})

it('does not begin when its call ends meanwhile', async () => {
  const { run, gate, store } = beginning()
  const begins = run.begin()
  await run.end(ToolExecutionResult.success('cached'))
  gate.resolve()
  await expect(begins).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await store.read(run.id)).toBeUndefined()
})

it('asks as a task from when it has begun, whoever began it', async () => {
  const { run, gate, begun } = beginning()
  const both = [run.begin(), run.begin()]
  gate.resolve()
  await Promise.all(both)
  expect(run.endsWithQuestion()).toBe(false)
  expect(begun).toEqual([run])
})
