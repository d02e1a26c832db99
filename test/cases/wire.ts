import type { Era } from '../../src/bridge/index.js'
import { messagesOf, modern, openSession, request, send } from '../bridge/fixtures/http-server.js'
import type { Json } from '../bridge/fixtures/ways.js'

export const ERAS: readonly Era[] = ['legacy', 'modern']

/** All that is sent for one request of a client of that era, with nothing between: the answer is the last. */
export async function exchanged(
  url: string,
  { era, method, params = {} }: { readonly era: Era; readonly method: string; readonly params?: Json },
): Promise<Json[]> {
  const name = typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}
  const raw =
    era === 'legacy'
      ? { headers: await openSession(url), body: request(2, method, params) }
      : modern(2, method, params)
  return messagesOf(await send(url, { ...raw, headers: { ...raw.headers, ...name } }))
}

/** The result, without what the new era adds to every one, or the error. */
export async function answered(url: string, asked: Parameters<typeof exchanged>[1]): Promise<Json> {
  const { result, error } = (await exchanged(url, asked)).at(-1) as { result?: Json; error?: Json }
  if (result === undefined) return error as Json
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta, ...rest } = result
  const { 'io.modelcontextprotocol/serverInfo': _info, ...meta } = (_meta ?? {}) as Json
  return { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
}
