import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { tool } from '../runtime/runtime-fixture.js'
import {
  bridged,
  INITIALIZE,
  listen,
  modern,
  openSession,
  request,
  send,
  served,
} from './fixtures/http-server.js'

const PROGRESS = { name: 'steps', _meta: { progressToken: 1 } }
const LISTEN = { notifications: { toolsListChanged: true } }

/** Keeps what is written back until the end, unless the answer forbids it: as `compression` for Express decides. */
const buffering: RequestHandler = (_req, res, next) => {
  const kept: Buffer[] = []
  const { writeHead, write, end } = res
  let isPassedOn = false
  res.writeHead = ((status: number, headers: Record<string, string>) => {
    isPassedOn = /(?:^|,)\s*no-transform\s*(?:,|$)/.test(headers['cache-control'] ?? '')
    return writeHead.call(res, status, headers as never)
  }) as typeof res.writeHead
  res.write = ((chunk: Uint8Array) => {
    if (isPassedOn) return write.call(res, chunk, 'utf8', () => undefined)
    kept.push(Buffer.from(chunk))
    return true
  }) as typeof res.write
  res.end = ((chunk?: string) => {
    if (!isPassedOn) write.call(res, Buffer.concat(kept), 'utf8', () => undefined)
    return end.call(res, chunk, 'utf8')
  }) as typeof res.end
  next()
}

describe('an event stream', () => {
  it('says of every answer that is one, that nothing between may hold it back', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const streams = [
      await send(http.url, { body: INITIALIZE }),
      await send(http.url, { headers, method: 'GET' }),
      await send(http.url, { headers, body: request(2, 'tools/call', PROGRESS) }),
      await send(http.url, modern(3, 'tools/call', PROGRESS)),
      await send(http.url, modern(4, 'subscriptions/listen', LISTEN)),
    ]
    const told = streams.map(({ headers }) => [
      headers.get('content-type'),
      headers.get('cache-control'),
      headers.get('x-accel-buffering'),
    ])
    expect(told).toEqual(Array(5).fill(['text/event-stream', 'no-cache, no-transform', 'no']))
    await Promise.all(streams.map(({ body }) => body?.cancel()))
  })

  it.each(['legacy', 'modern'] as const)(
    'brings what comes early before the rest, also behind a middleware that buffers: %s',
    async (era) => {
      let goOn = () => {}
      const gone = new Promise<void>((resolve) => {
        goOn = resolve
      })
      const slow = tool('slow', async ({ progress }) => {
        progress(1)
        await gone
        return 'done'
      })
      const { bridge } = await bridged({}, [slow])
      await using server = await listen(express().use(buffering).all('/mcp', bridge.nodeHandler()))
      const params = { name: 'slow', _meta: { progressToken: 1 } }
      const call =
        era === 'modern'
          ? modern(2, 'tools/call', params)
          : { headers: await openSession(server.url), body: request(2, 'tools/call', params) }
      const reader = (await send(server.url, call)).body?.pipeThrough(new TextDecoderStream()).getReader()
      // The tool waits for us: this ends only if the event comes before the answer.
      expect((await reader?.read())?.value).toContain('notifications/progress')
      goOn()
      expect((await reader?.read())?.value).toContain('done')
      await bridge.close()
    },
  )

  it('is kept alive by comments while it is silent', async () => {
    await using http = await served({ drainMs: 10, http: { keepAliveMs: 20 } })
    const headers = await openSession(http.url)
    const waiting = { name: 'wait' }
    const streams = [
      await send(http.url, { headers, method: 'GET' }),
      await send(http.url, { headers, body: request(2, 'tools/call', waiting) }),
      await send(http.url, modern(3, 'subscriptions/listen', LISTEN)),
    ]
    for (const { body } of streams) {
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes(': keepalive\n\n')) text += (await reader?.read())?.value ?? ''
      await reader?.cancel()
    }
  })

  it('is left silent where that is asked for', async () => {
    await using http = await served({ http: { keepAliveMs: 0 } })
    const headers = await openSession(http.url)
    const stream = await send(http.url, { headers, method: 'GET' })
    await setTimeoutPromise(100)
    await http.bridge.close()
    expect(await stream.text()).toBe('')
  })
})
