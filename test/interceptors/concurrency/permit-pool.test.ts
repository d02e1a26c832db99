import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type PermitLimits,
  PermitPool,
  type Release,
} from '../../../src/interceptors/concurrency/permit-pool.js'
import { PermitPoolModel } from './permit-pool-model.js'

/** A pool, and what its waiters heard. */
function poolWith(limits: Partial<PermitLimits> = {}, onIdle?: () => void) {
  const pool = new PermitPool(
    { total: 1, perCaller: Number.POSITIVE_INFINITY, waiting: 100, ...limits },
    onIdle,
  )
  const heard: string[] = []
  const releases = new Map<string, Release>()
  return {
    pool,
    heard,
    releases,
    wait: (caller: string, id: string) =>
      pool.wait(caller, {
        granted: (release) => {
          heard.push(id)
          releases.set(id, release)
        },
        displaced: () => void heard.push(`${id} displaced`),
      }),
    take(caller: string): Release {
      const release = pool.take(caller)
      if (release === undefined) throw new Error('no permit')
      return release
    },
    /** Gives back whatever is held, one after the other, until nothing is. */
    drain(first: Release): readonly string[] {
      first()
      for (const release of releases.values()) release()
      return heard
    },
  }
}

describe('a permit', () => {
  it('is there up to the total, and up to what one caller may have', () => {
    const { pool } = poolWith({ total: 3, perCaller: 2 })
    const taken = ['a', 'a', 'a', 'b', 'b'].map((caller) => pool.take(caller) !== undefined)
    expect(taken).toEqual([true, true, false, true, false])
    expect(pool.running).toBe(3)
  })

  it('is given back once, however often it is released', () => {
    const { pool, take } = poolWith()
    const release = take('a')
    release()
    release()
    take('b')
    release()
    expect(pool.running).toBe(1)
    expect(pool.take('c')).toBeUndefined()
  })
})

describe('those who wait', () => {
  it('take turns by caller, and each caller’s own go in order', () => {
    const { wait, take, drain } = poolWith()
    const release = take('a')
    for (const n of [1, 2, 3, 4]) wait('a', `a${n}`)
    wait('b', 'b1')
    wait('c', 'c1')
    wait('b', 'b2')
    expect(drain(release)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('do not stand in the way of others once they have all that they may have', () => {
    const { pool, wait, take, heard, releases } = poolWith({ total: 2, perCaller: 1 })
    const [first] = [take('a'), take('b')]
    wait('b', 'b1')
    wait('a', 'a1')
    wait('c', 'c1')
    first()
    expect(heard).toEqual(['c1'])
    releases.get('c1')?.()
    expect(heard).toEqual(['c1', 'a1'])
    expect(pool.running).toBe(2)
  })

  it('may leave, and are then passed over', () => {
    const { pool, wait, take, drain } = poolWith()
    const release = take('a')
    const leave = wait('a', 'a1')
    wait('a', 'a2')
    leave?.()
    leave?.()
    expect(pool.waiting).toBe(1)
    expect(drain(release)).toEqual(['a2'])
    expect({ running: pool.running, waiting: pool.waiting }).toEqual({ running: 0, waiting: 0 })
  })

  it('are no more than there is room for', () => {
    const { wait, take } = poolWith({ waiting: 1 })
    take('a')
    expect(wait('a', 'a1')).toBeTypeOf('function')
    expect(wait('a', 'a2')).toBeUndefined()
    expect(wait('b', 'b1')).toBeUndefined()
  })

  it('make room in a full queue for a caller who has fewer: the last of the one who has most', () => {
    const { pool, wait, take, heard, drain } = poolWith({ waiting: 4 })
    const release = take('a')
    for (const id of ['a1', 'a2', 'a3', 'a4']) wait('a', id)
    expect(wait('b', 'b1')).toBeTypeOf('function')
    expect(wait('b', 'b2')).toBeTypeOf('function')
    expect(wait('b', 'b3')).toBeUndefined()
    expect(wait('a', 'a5')).toBeUndefined()
    expect(heard).toEqual(['a4 displaced', 'a3 displaced'])
    expect(pool.waiting).toBe(4)
    expect(drain(release).slice(2)).toEqual(['a1', 'b1', 'a2', 'b2'])
  })
})

describe('the pool', () => {
  it('says when nobody is left in it', () => {
    let idle = 0
    const { wait, take, releases } = poolWith({}, () => idle++)
    const release = take('a')
    wait('b', 'b1')
    wait('c', 'c1')?.()
    release()
    expect(idle).toBe(0)
    releases.get('b1')?.()
    expect(idle).toBe(1)
  })

  it('agrees with a plain model, whatever comes in whatever order', () => {
    const limits = fc.record({
      total: fc.integer({ min: 1, max: 4 }),
      perCaller: fc.integer({ min: 1, max: 4 }),
      waiting: fc.integer({ min: 0, max: 6 }),
    })
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ come: fc.constantFrom('a', 'b', 'c', 'd') }) },
      { weight: 2, arbitrary: fc.record({ release: fc.nat({ max: 50 }) }) },
      { weight: 1, arbitrary: fc.record({ leave: fc.nat({ max: 50 }) }) },
    )
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 60 }), (limits, steps) => {
        const model = new PermitPoolModel(limits)
        const log: string[] = []
        const held: { readonly id: number; readonly release: Release }[] = []
        const waiting = new Map<number, () => void>()
        let isIdle = false
        const pool = new PermitPool(limits, () => {
          isIdle = true
        })
        const come = (caller: string, id: number) => {
          isIdle = false
          const release = pool.take(caller)
          if (release !== undefined) {
            log.push(`${id} runs`)
            return void held.push({ id, release })
          }
          const leave = pool.wait(caller, {
            granted: (release) => {
              log.push(`${id} runs`)
              waiting.delete(id)
              held.push({ id, release })
            },
            displaced: () => {
              log.push(`${id} displaced`)
              waiting.delete(id)
            },
          })
          if (leave === undefined) log.push(`${id} refused`)
          else waiting.set(id, leave)
        }
        const releaseOne = (n: number) => {
          const [one] = held.splice(n % held.length, 1)
          if (one === undefined) return
          one.release()
          one.release()
          model.release(one.id)
        }
        steps.forEach((step, id) => {
          if ('come' in step) {
            come(step.come, id)
            model.come(step.come, id)
          } else if ('release' in step) releaseOne(step.release)
          else {
            const [gone] = [...waiting.keys()].slice(step.leave % Math.max(1, waiting.size))
            if (gone === undefined) return
            waiting.get(gone)?.()
            waiting.delete(gone)
            model.leave(gone)
          }
          expect(log).toEqual(model.log)
          expect({ running: pool.running, waiting: pool.waiting }).toEqual(model.counts)
          expect(pool.running).toBeLessThanOrEqual(limits.total)
          expect(pool.waiting).toBeLessThanOrEqual(limits.waiting)
        })
        while (held.length > 0) releaseOne(0)
        expect({ running: pool.running, waiting: pool.waiting }).toEqual({ running: 0, waiting: 0 })
        expect(log).toEqual(model.log)
        expect(isIdle || log.length === 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
