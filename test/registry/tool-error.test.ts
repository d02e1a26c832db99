import { inspect, types } from 'node:util'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import {
  type AnyToolError,
  ApprovalRequiredError,
  ForbiddenError,
  InvalidArgumentsError,
  type InvalidResultError,
  RateLimitedError,
  ToolError,
  ToolExecutionError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ValidationIssue } from '../../src/registry/validation-issue.js'

describe('ToolError.is() and ToolError.from()', () => {
  it('let a ToolError through as it is', () => {
    const error = new ForbiddenError('Not yours')
    expect(ToolError.from(error)).toBe(error)
  })

  it('know an error of another copy of the module, which instanceof does not', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/tool-error.js')
    const foreign = new other.RateLimitedError('t', 5)
    expect(foreign).not.toBeInstanceOf(ToolError)
    expect(ToolError.is(foreign)).toBe(true)
    expect(ToolError.from(foreign)).toBe(foreign)
  })

  it('know an error that a user has derived', () => {
    class QuotaError extends UpstreamError {
      override readonly code = 'UPSTREAM_FAILED'
    }
    expect([ToolError.is(new QuotaError('x')), new QuotaError('x').name]).toEqual([true, 'QuotaError'])
  })

  it.each([
    new TypeError('Cannot read properties of undefined (reading "password")'),
    'a string',
    { code: 'RATE_LIMITED', retryAfterMs: 0, message: 'a look-alike' },
    undefined,
    null,
    0,
  ])('mask anything else: %o', (thrown) => {
    const error = ToolError.from(thrown)
    expect(ToolError.is(thrown)).toBe(false)
    expect(error).toBeInstanceOf(ToolExecutionError)
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED', message: 'The tool failed', outcome: 'unknown' })
    expect(error.cause).toBe(thrown)
  })

  it('mask what says yes to everything, and what cannot be asked', () => {
    const stub = new Proxy({}, { get: () => stub, has: () => true })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect([stub, proxy].map((thrown) => ToolError.from(thrown).code)).toEqual([
      'EXECUTION_FAILED',
      'EXECUTION_FAILED',
    ])
  })
})

describe('toJSON()', () => {
  it('has the fields and the message, and neither stack nor cause', () => {
    const error = new UpstreamError('HTTP 503', {
      status: 503,
      cause: new Error('dsn=postgres://root:hunter2@db'),
    })
    const written = JSON.stringify(error)
    expect(JSON.parse(written)).toEqual({
      code: 'UPSTREAM_FAILED',
      message: 'HTTP 503',
      status: 503,
      retryable: true,
      outcome: 'unknown',
    })
    expect(written).not.toMatch(/hunter2|tool-error\.test/)
  })

  it('holds for a copy with another outcome too', () => {
    const error = new ForbiddenError('No', { cause: new Error('secret') })
    expect(error.withOutcomeOf('completed').toJSON()).toEqual({ ...error.toJSON(), outcome: 'completed' })
  })
})

describe('withOutcomeOf()', () => {
  it.each([
    ['not-started', 'not-started', 'not-started'],
    ['not-started', 'completed', 'completed'],
    ['not-started', 'unknown', 'unknown'],
    ['completed', 'not-started', 'completed'],
    ['completed', 'unknown', 'completed'],
    ['unknown', 'completed', 'unknown'],
  ] as const)(
    'makes of an error that says %s, after work that is %s, one that says %s',
    (own, work, expected) => {
      expect(new ForbiddenError('No', { outcome: own }).withOutcomeOf(work).outcome).toBe(expected)
    },
  )

  it('gives a copy that is the same in all else, and leaves the original alone', () => {
    const cause = new Error('why')
    const error = new RateLimitedError('t', 1500, { cause })
    const copy = error.withOutcomeOf('unknown')
    expect(copy).not.toBe(error)
    expect(error.outcome).toBe('not-started')
    expect(copy).toBeInstanceOf(RateLimitedError)
    expect({ ...copy }).toEqual({ ...error, outcome: 'unknown' })
    expect([copy.message, copy.cause, copy.stack, copy.name]).toEqual([
      error.message,
      cause,
      error.stack,
      error.name,
    ])
    expect([ToolError.is(copy), types.isNativeError(copy)]).toEqual([true, true])
    expect(inspect(copy)).toContain('Too many calls of "t"')
    expect(Object.keys(copy)).toEqual(Object.keys(error))
  })

  it('copies a frozen error too', () => {
    expect(Object.freeze(new ForbiddenError('No')).withOutcomeOf('completed').outcome).toBe('completed')
  })

  it('gives the error itself where nothing changes', () => {
    const error = new ForbiddenError('No')
    expect(error.withOutcomeOf('not-started')).toBe(error)
  })
})

describe('error.code', () => {
  it('narrows to the class and its fields', () => {
    const read = (error: AnyToolError) => {
      // @ts-expect-error Not every error has it.
      expectTypeOf(error.retryAfterMs).toBeAny()
      switch (error.code) {
        case 'RATE_LIMITED':
          expectTypeOf(error).toEqualTypeOf<RateLimitedError>()
          return error.retryAfterMs
        case 'INVALID_ARGUMENTS':
          expectTypeOf(error.issues).toEqualTypeOf<readonly ValidationIssue[]>()
          return error.issues.length
        case 'APPROVAL_REQUIRED':
          return error.approvalId
        case 'INVALID_RESULT':
        case 'RESULT_TOO_LARGE':
          return expectTypeOf(error).toEqualTypeOf<InvalidResultError>()
        default:
          return error.message
      }
    }
    expect([
      read(new RateLimitedError('t', 5)),
      read(new InvalidArgumentsError('t', [{ path: '/days', keyword: 'maximum', message: 'too many' }])),
      read(new ApprovalRequiredError('t', 'a-1')),
      read(new ForbiddenError('No')),
    ]).toEqual([5, 1, 'a-1', 'No'])
  })
})
