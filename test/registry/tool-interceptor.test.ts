import { describe, expect, it } from 'vitest'
import { interceptorName, type ToolInterceptor } from '../../src/registry/tool-interceptor.js'

describe('interceptorName', () => {
  it('is the name, else that of the class, else a word', () => {
    class Audit implements ToolInterceptor {}
    const anonymous = new (class {})()
    const all: ToolInterceptor[] = [{ name: 'mine' }, new Audit(), {}, anonymous, Object.create(null)]
    expect(all.map(interceptorName)).toEqual(['mine', 'Audit', 'interceptor', 'interceptor', 'interceptor'])
  })
})
