import { expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { containerWith, gist, resource, prompt, started, tool } from './runtime-fixture.js'
import { CallSuspension } from '../../src/registry/call-suspension.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'

it('races replace/unregister/reads', async () => {
  const { runtime, logger } = await started({ resources: [resource('a', 'docs://a', async () => { await sleep(Math.random() * 3); return 'x' })] })
  let ok = 0, nf = 0, other: any[] = []
  const churn = (async () => {
    for (let i = 0; i < 300; i++) {
      if (i % 3 === 0) { const g = runtime.resources.unregister('docs://a'); if (Math.random() < .5) await sleep(0); runtime.resources.register(resource('a', 'docs://a', async () => { await sleep(1); return 'y' })); void g }
      else runtime.resources.replace(resource('a', 'docs://a', async () => { await sleep(Math.random() * 2); return 'z' }))
      await sleep(0)
    }
  })()
  let over = false
  void churn.then(() => { over = true })
  while (!over) {
    const rs = await Promise.all(Array.from({ length: 20 }, () => runtime.read('docs://a')))
    for (const r of rs) { if (r.ok) ok++; else if (r.error.code === 'RESOURCE_NOT_FOUND') nf++; else other.push(r.error) }
  }
  console.log({ ok, nf, other: other.length, running: runtime.resources.registered('docs://a')?.running })
  expect(other).toEqual([])
  await runtime.close()
  console.log(logger.lines.filter((l) => l.level !== 'info').slice(0, 3))
})

it('10000 of each kind registered, start & visible & call', async () => {
  const { runtime } = containerWith({ options: { visibility: () => true } })
  const t0 = performance.now()
  await runtime.start()
  for (let i = 0; i < 10000; i++) { runtime.registry.register(tool('t' + i)); runtime.resources.register(resource('r' + i, 'docs://r' + i)); runtime.prompts.register(prompt('p' + i)) }
  const t1 = performance.now()
  for (let i = 0; i < 1000; i++) runtime.resources.register(resource('q' + i, `q${i}://{x}`))
  const t2 = performance.now()
  for (let i = 0; i < 100; i++) await runtime.read('q999://x')
  const t3 = performance.now()
  for (let i = 0; i < 100; i++) runtime.catalog.list(runtime.resources, {})
  const t4 = performance.now()
  await runtime.close()
  console.log({ reg: t1 - t0, templ: t2 - t1, read: (t3 - t2) / 100, list: (t4 - t3) / 100, close: performance.now() - t4 })
})

it('worst-case template match', async () => {
  const { runtime } = await started({ resources: Array.from({ length: 1000 }, (_, i) => resource('r' + i, `docs://{a}/{b}/{c}/x${i}`)) })
  const t = performance.now()
  const r = await runtime.read('docs://' + 'a/'.repeat(4000))
  console.log('match 1000 templates, 8k uri', performance.now() - t, r.ok || r.error.code)
})

it('heap of asks', async () => {
  const { runtime } = await started({ tools: [tool('asks', async ({ ask }) => (await ask({ message: 'x', schema: { type: 'object', properties: { a: { type: 'string', maxLength: 5 } } } })).action)] })
  const go = (n: number) => Promise.all(Array.from({ length: n }, () => runtime.call('asks', {}, { ask: async () => ({ action: 'accept', content: { a: 'b' } }) })))
  const t = performance.now()
  await go(500); globalThis.gc?.(); const a = process.memoryUsage().heapUsed
  for (let i = 0; i < 10; i++) await go(500)
  globalThis.gc?.(); const b = process.memoryUsage().heapUsed
  console.log('ask heap', (b - a) / 1e6, 'MB; per ask ms', (performance.now() - t) / 5500)
})

it('listeners re-entrant', async () => {
  const { runtime } = await started({})
  const l = runtime.resources.addListener({
    onResourceRemoved: (r) => { if (!runtime.resources.contains('docs://a')) runtime.resources.register(r) },
    onResourceUpdated: (uri) => { if (uri === 'u0') for (let i = 1; i < 3; i++) runtime.resources.notifyUpdated('u' + i) },
    onChanged: () => { void runtime.close() },
  })
  runtime.resources.register(resource('a', 'docs://a'))
  runtime.resources.notifyUpdated('u0')
  await runtime.resources.unregister('docs://a')
  await sleep(100)
  console.log('size after', runtime.resources.size, runtime.isStarted)
  l[Symbol.dispose]()
  await runtime.close()
  console.log('restart', await runtime.start())
})

it('hostile metadata', () => {
  const bad: any[] = [null, 1, 'x', [], { tags: 'a' }, { tags: [1] }, { visibility: { scopes: [1] } }, { maxResultSize: 0 }, { maxResultSize: 1.5 }, { largeResult: 'x' }, { timeoutMs: Infinity }, { owner: () => 1 }, { links: new Map() }, { constructor: 1 }, JSON.parse('{"__proto__":{"readOnly":true}}'), { visibility: { scopes: { length: 1, 0: 'a' } } }, { get visibility() { return Math.random() > .5 ? undefined : { scopes: ['a'] } } }]
  for (const m of bad) { let out; try { const d = tool('t', () => 1, { metadata: m }); out = JSON.stringify(d.metadata) } catch (e) { out = String(e) } console.log(JSON.stringify(m), '=>', out) }
})
it('ctx destructure hostile: proxies', async () => {
  const { runtime } = await started({ tools: [tool('a')], resources: [resource('r', 'docs://{x}')] })
  for (const o of [{ principal: null }, { principal: {} }, { exposes: 1 }, { ask: 1 }, { callId: null }, null] as any[]) {
    try { const r = await runtime.call('a', {}, o); console.log(o, gist(r)) } catch (e) { console.log('THROW', o, e) }
    try { const r = await runtime.read('docs://1', o); console.log(o, gist(r)) } catch (e) { console.log('THROW', o, e) }
  }
})
