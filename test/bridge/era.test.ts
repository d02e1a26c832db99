import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import { describe, expect, it, vi } from 'vitest'
import { eraOf } from '../../src/bridge/era.js'
import { isJsonRpcMessage } from '../../src/bridge/json-rpc.js'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const METAS = [
  undefined,
  {},
  { progressToken: 0 },
  { [CAPABILITIES]: {} },
  { [VERSION]: '2026-07-28' },
  { [VERSION]: '2026-07-28', [CAPABILITIES]: {} },
  { [VERSION]: '2099-01-01', [CAPABILITIES]: {} },
  { [VERSION]: '2025-11-25', [CAPABILITIES]: {} },
  { [VERSION]: 5 },
]
const HEADERS = [undefined, '2025-11-25', '2026-07-28', ' 2026-07-28 ', '1900-01-01', '2099-01-01', 'x']
const METHODS = ['initialize', 'tools/list', 'server/discover', 'notifications/cancelled']

describe('the era of a request', () => {
  it('is what isLegacyRequest of SDK 2.x says', async () => {
    const judged = await Promise.all(
      METAS.flatMap((_meta) =>
        HEADERS.flatMap((header) =>
          METHODS.map(async (method) => {
            const isNotification = method.startsWith('notifications/')
            const params = { ...(isNotification ? { requestId: 1 } : {}), ...(_meta && { _meta }) }
            const message = { jsonrpc: '2.0' as const, ...(!isNotification && { id: 1 }), method, params }
            const headers = {
              'content-type': 'application/json',
              ...(header && { 'mcp-protocol-version': header }),
            }
            const request = new Request('http://localhost/', { method: 'POST', headers })
            const legacy = await isLegacyRequest(request, message)
            return { message, header, ours: eraOf(message, header), theirs: legacy ? 'legacy' : 'modern' }
          }),
        ),
      ),
    )
    expect(judged.filter(({ ours, theirs }) => ours !== theirs)).toEqual([])
    expect(new Set(judged.map(({ ours }) => ours))).toEqual(new Set(['legacy', 'modern']))
  })

  it('is the old one for an answer of a client', () => {
    expect(eraOf({ jsonrpc: '2.0', id: 1, result: {} }, '2026-07-28')).toBe('legacy')
  })
})

describe('a JSON-RPC message', () => {
  it.each([
    [{ jsonrpc: '2.0', id: 0, method: 'ping' }, true],
    [{ jsonrpc: '2.0', id: '', method: 'ping' }, true],
    [{ jsonrpc: '2.0', method: 'ping' }, true],
    [{ jsonrpc: '2.0', id: 1, result: {} }, true],
    [{ jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, true],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, false],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, false],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, false],
    [{ jsonrpc: '2.0', id: 1 }, false],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, false],
    [[], false],
    [null, false],
  ])('%j: %s', (value, expected) => {
    expect(isJsonRpcMessage(value)).toBe(expected)
  })
})

// Each starts a process, which compiles the sources first.
vi.setConfig({ testTimeout: 60_000 })

describe('an SDK', () => {
  const SDKS = { legacy: '@modelcontextprotocol/sdk', modern: '@modelcontextprotocol/server' }

  /** Runs `script` in a process of its own, where `bridge` is there and importing a package of `forbidden` fails. */
  function runWithout(forbidden: readonly string[], script: string): string {
    const hook = `export async function resolve(name, context, next) {
      if (${JSON.stringify(forbidden)}.some((one) => name.startsWith(one))) throw new Error('loaded ' + name)
      return next(name, context)
    }`
    const bridge = new URL('../../src/bridge/index.ts', import.meta.url).href
    const program = `
      import { register } from 'node:module'
      register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))})
      const { McpToolBridge } = await import(${JSON.stringify(bridge)})
      const registry = { list: () => [], addListener: () => ({ [Symbol.dispose]() {} }) }
      const catalog = { list: () => [], variesByPrincipal: () => false, tool: () => undefined }
      const logger = { debug() {}, info() {}, warn() {}, error() {} }
      const bridge = new McpToolBridge({ registry, resources: registry, prompts: registry, catalog, logger, run: async () => {} }, { name: 'x', version: '1' })
      const transport = { start: async () => {}, send: async () => {}, close: async () => {} }
      ${script}`
    return execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
    }).trim()
  }

  it('is not loaded before a client of its era comes', () => {
    const report =
      "await bridge.connect(transport, { era: 'legacy' }).catch((error) => console.log(error.message))"
    expect(runWithout(Object.values(SDKS), report)).toMatch(/^loaded @modelcontextprotocol\/sdk\//)
  })

  it.each([
    ['legacy', SDKS.modern],
    ['modern', SDKS.legacy],
  ])('of the other era is not loaded for a client of the %s one', (era, forbidden) => {
    expect(
      runWithout([forbidden], `await bridge.connect(transport, { era: '${era}' }); console.log('served')`),
    ).toBe('served')
  })
})
