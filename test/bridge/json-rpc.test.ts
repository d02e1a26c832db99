import { describe, expect, it } from 'vitest'
import { isJsonRpcMessage } from '../../src/bridge/json-rpc.js'

const response = (parts: object) => ({ jsonrpc: '2.0', id: 1, ...parts })

describe('isJsonRpcMessage', () => {
  it.each([
    { result: {} },
    { result: { content: [], _meta: { progressToken: 0 } } },
    { error: { code: -32000, message: '' } },
    { error: { code: 1, message: 'no', data: null } },
  ])('takes the response %j', (parts) => {
    expect(isJsonRpcMessage(response(parts))).toBe(true)
  })

  // The SDKs take none of them: their clients would get no word of JSON-RPC that says so.
  it.each([
    {},
    { result: 5 },
    { result: null },
    { result: { _meta: 5 } },
    { result: {}, error: { code: 1, message: '' } },
    { result: {}, more: 1 },
    { error: 5 },
    { error: { code: 1.5, message: '' } },
    { error: { code: 1 } },
    { id: undefined, result: {} },
  ])('refuses the response %j', (parts) => {
    expect(isJsonRpcMessage(response(parts))).toBe(false)
  })

  it.each([
    [490, true],
    [3_000, false],
    [200_000, false],
  ])('of a request that is nested %i levels deep says %s, without going down to the end', (depth, isOne) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`
    expect(isJsonRpcMessage(JSON.parse(text))).toBe(isOne)
  })
})
