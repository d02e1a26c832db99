import { describe, expect, it } from 'vitest'
import { restoredError, storedError } from '../../../src/interceptors/results/stored-error.js'
import {
  type AnyToolError,
  ApprovalDeniedError,
  ApprovalRequiredError,
  AskUnsupportedError,
  CircuitOpenError,
  DuplicateToolError,
  ForbiddenError,
  IdempotencyConflictError,
  InvalidArgumentsError,
  InvalidResultError,
  OverloadedError,
  PromptNotFoundError,
  RateLimitedError,
  ResourceNotFoundError,
  ShuttingDownError,
  ToolAbortedError,
  ToolError,
  ToolExecutionError,
  ToolNotFoundError,
  ToolTimeoutError,
  ToolUnavailableError,
  UnauthenticatedError,
  UpstreamError,
} from '../../../src/registry/tool-error.js'

const ERRORS: readonly AnyToolError[] = [
  new ToolNotFoundError('x'),
  new ResourceNotFoundError('x://y'),
  new PromptNotFoundError('x'),
  new ToolUnavailableError('x', 'it is being removed', { retryable: true }),
  new DuplicateToolError('x', 'one', 'two'),
  new InvalidArgumentsError('x', [{ path: '/a', keyword: 'type', message: '/a must be a string' }]),
  new InvalidResultError('x', 'no JSON'),
  new InvalidResultError('x', 'much', { code: 'RESULT_TOO_LARGE' }),
  new RateLimitedError('x', 1_500, { outcome: 'unknown' }),
  new OverloadedError('x', 1_500),
  new CircuitOpenError('x', 1_500),
  new ToolTimeoutError('x', 20, { outcome: 'unknown' }),
  new ToolAbortedError('x'),
  new ShuttingDownError(),
  new UnauthenticatedError(),
  new ForbiddenError(),
  new ApprovalRequiredError('x', 'a-1'),
  new ApprovalDeniedError('x'),
  new AskUnsupportedError('sampling'),
  new IdempotencyConflictError('x'),
  new UpstreamError('down', { status: 502 }),
  new ToolExecutionError('no', { outcome: 'completed' }),
]

describe('an error that was stored', () => {
  it.each(ERRORS.map((error) => [error.code, error] as const))(
    '%s is the same error again, without cause and stack of the first',
    (_, error) => {
      const read = restoredError(JSON.parse(JSON.stringify(storedError(error))))
      expect(read).toBeInstanceOf(error.constructor)
      expect(ToolError.is(read)).toBe(true)
      expect([read.name, read.toJSON()]).toEqual([error.name, error.toJSON()])
      expect(read.withOutcomeOf('unknown').outcome).not.toBe('not-started')
    },
  )

  it('keeps nothing secret', () => {
    const error = new UpstreamError('down', { cause: new Error('postgres://app:pw@db') })
    expect(JSON.stringify(storedError(error))).not.toContain('pw')
    expect(restoredError(storedError(error)).cause).toBeUndefined()
  })

  it('of a class of others keeps its code, and what JSON can carry', () => {
    class OwnError extends ToolError {
      readonly code = 'OWN'
      readonly handle = () => undefined
    }
    const read = restoredError(
      storedError(new OwnError('mine', { outcome: 'unknown' }) as unknown as AnyToolError),
    )
    expect(read).toBeInstanceOf(ToolExecutionError)
    expect(read.toJSON()).toEqual({ code: 'OWN', message: 'mine', outcome: 'unknown', retryable: false })
  })
})
