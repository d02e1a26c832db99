import { expect, it } from 'vitest'
import { McpToolBridge } from '../../src/bridge/index.js'
import { containerWith, tool } from '../runtime/runtime-fixture.js'
import { messagesOf, modern, post } from './fixtures/http-server.js'

it('says once that an empty list is that of a runtime which nobody has started', async () => {
  const { runtime, logger } = containerWith({ tools: [tool('add')] })
  await using bridge = new McpToolBridge(runtime, { name: 'fixture', version: '1' })
  const { body, headers } = modern(1, 'tools/list')
  const names = async () => {
    const answers = await messagesOf(await bridge.fetch(post(body, headers), { address: '127.0.0.1' }))
    const [{ result }] = answers as [{ result: { tools: { name: string }[] } }]
    return result.tools.map(({ name }) => name)
  }
  expect([await names(), await names()]).toEqual([[], []])
  await runtime.start()
  expect(await names()).toEqual(['add'])
  expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      fields: {},
      message: 'tools/list was asked before the runtime was started: await runtime.start() first',
    },
  ])
  await runtime.close()
})
