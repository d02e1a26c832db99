import { describe, expect, it, vi } from 'vitest'
import { deferred, started, tool } from './runtime-fixture.js'

const turn = () => new Promise(setImmediate)

describe('many calls on one signal', () => {
  it('share one listener, which goes with the last of them', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const gate = deferred<string>()
    const { runtime } = await started({ tools: [tool('slow', () => gate.promise)] })
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const calls = Array.from({ length: 20 }, () => runtime.call('slow', {}, { signal: controller.signal }))
    await turn()
    gate.resolve('done')
    await Promise.all(calls)
    await turn()
    process.off('warning', warned)
    expect([add.mock.calls.length, remove.mock.calls.length, warned.mock.calls]).toEqual([1, 1, []])
  })

  it('are all cancelled by it', async () => {
    const { runtime } = await started({ tools: [tool('slow', () => new Promise(() => undefined))] })
    const controller = new AbortController()
    const calls = Array.from({ length: 3 }, () => runtime.call('slow', {}, { signal: controller.signal }))
    await turn()
    controller.abort()
    const codes = (await Promise.all(calls)).map((result) => !result.ok && result.error.code)
    expect(codes).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  })

  it('put no listener on it if they end in the turn they began, and hear of an abort in that turn', async () => {
    const { runtime } = await started({
      tools: [tool('quick'), tool('slow', () => new Promise(() => undefined))],
    })
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    expect(await runtime.call('quick', {}, { signal: controller.signal })).toMatchObject({ ok: true })
    const slow = runtime.call('slow', {}, { signal: controller.signal })
    controller.abort()
    expect(await slow).toMatchObject({ error: { code: 'ABORTED' } })
    expect(add).not.toHaveBeenCalled()
  })
})
