import { describe, expect, expectTypeOf, it } from 'vitest'
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
  type ToolErrorCode,
  ToolExecutionError,
  ToolNotFoundError,
  ToolTimeoutError,
  ToolUnavailableError,
  UnauthenticatedError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ValidationIssue } from '../../src/registry/validation-issue.js'

const issue: ValidationIssue = {
  path: '/days',
  keyword: 'maximum',
  message: '"days" must be <= 7',
  params: { limit: 7 },
}

type Facts = readonly [
  error: AnyToolError,
  code: ToolErrorCode,
  retryable: boolean,
  outcome: ToolError['outcome'],
  message: string,
  fields?: Readonly<Record<string, unknown>>,
]

const all: readonly Facts[] = [
  [new ToolNotFoundError('t'), 'TOOL_NOT_FOUND', false, 'not-started', 'Unknown tool "t"'],
  [
    new ToolUnavailableError('t', 'it is being removed'),
    'TOOL_UNAVAILABLE',
    false,
    'not-started',
    'Tool "t" is unavailable: it is being removed',
  ],
  [
    new DuplicateToolError('t', 'A', 'B'),
    'DUPLICATE_TOOL',
    false,
    'not-started',
    'Tool "t" of B is already registered by A',
  ],
  [
    new InvalidArgumentsError('t', [issue, { path: '', keyword: 'custom', message: 'too much' }]),
    'INVALID_ARGUMENTS',
    false,
    'not-started',
    'Invalid arguments for "t": "days" must be <= 7; too much',
    { issues: [issue, { path: '', keyword: 'custom', message: 'too much' }] },
  ],
  [
    new InvalidResultError('t', 'it is NaN'),
    'INVALID_RESULT',
    false,
    'completed',
    'Tool "t" returned an invalid result: it is NaN',
  ],
  [
    new InvalidResultError('t', 'it is large', { code: 'RESULT_TOO_LARGE' }),
    'RESULT_TOO_LARGE',
    false,
    'completed',
    'Tool "t" returned a result that is too large: it is large',
  ],
  [
    new RateLimitedError('t', 1500),
    'RATE_LIMITED',
    true,
    'not-started',
    'Too many calls of "t"; try again in 2 s',
    { retryAfterMs: 1500 },
  ],
  [
    new OverloadedError('t', 1000),
    'OVERLOADED',
    true,
    'not-started',
    'Tool "t" is overloaded; try again in 1 s',
    { retryAfterMs: 1000 },
  ],
  [
    new CircuitOpenError('t', 0),
    'CIRCUIT_OPEN',
    true,
    'not-started',
    'Tool "t" is failing and is not called for now; try again in 0 s',
    { retryAfterMs: 0 },
  ],
  [new ToolTimeoutError('t', 49.6), 'TIMEOUT', true, 'not-started', 'Tool "t" did not finish within 50 ms'],
  [new ToolAbortedError('t'), 'ABORTED', false, 'not-started', 'The call of "t" was cancelled'],
  [new ShuttingDownError(), 'SHUTTING_DOWN', true, 'not-started', 'The service is shutting down'],
  [new UnauthenticatedError(), 'UNAUTHENTICATED', false, 'not-started', 'Authentication is required'],
  [new ForbiddenError(), 'FORBIDDEN', false, 'not-started', 'Not allowed'],
  [
    new ApprovalRequiredError('t', 'a-1'),
    'APPROVAL_REQUIRED',
    true,
    'not-started',
    'The call of "t" waits for approval a-1',
    { approvalId: 'a-1' },
  ],
  [new ApprovalDeniedError('t'), 'APPROVAL_DENIED', false, 'not-started', 'The call of "t" was not approved'],
  [
    new ResourceNotFoundError('docs://none'),
    'RESOURCE_NOT_FOUND',
    false,
    'not-started',
    'Resource not found: docs://none',
    { uri: 'docs://none' },
  ],
  [new PromptNotFoundError('p'), 'PROMPT_NOT_FOUND', false, 'not-started', 'Unknown prompt "p"'],
  [
    new AskUnsupportedError('sampling'),
    'ASK_UNSUPPORTED',
    false,
    'not-started',
    'This caller cannot be asked: it does not support sampling',
    { capability: 'sampling' },
  ],
  [
    new IdempotencyConflictError('t'),
    'IDEMPOTENCY_CONFLICT',
    false,
    'not-started',
    'The idempotency key of this call of "t" was used with other arguments',
  ],
  [
    new UpstreamError('HTTP 503', { status: 503 }),
    'UPSTREAM_FAILED',
    true,
    'unknown',
    'HTTP 503',
    { status: 503 },
  ],
  [new UpstreamError('no', { status: 400 }), 'UPSTREAM_FAILED', false, 'unknown', 'no', { status: 400 }],
  [new UpstreamError('reset'), 'UPSTREAM_FAILED', true, 'unknown', 'reset'],
  [new ToolExecutionError(), 'EXECUTION_FAILED', false, 'unknown', 'The tool failed'],
]

describe('each error', () => {
  it.each(all.map((facts) => [facts[0].name, facts] as const))('%s says what it is', (_, facts) => {
    const [error, code, retryable, outcome, message, fields = {}] = facts
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toBeInstanceOf(Error)
    expect(ToolError.is(error)).toBe(true)
    expect(error.name).toBe(error.constructor.name)
    expect(error).toMatchObject({ code, retryable, outcome, message, ...fields })
    expect(error.cause).toBeUndefined()
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code, retryable, outcome, message, ...fields })
  })

  it('has a code of its own', () => {
    const codes = all.map(([, code]) => code)
    const classes = all.map(([error]) => error.constructor)
    expect(new Set(codes).size).toBe(new Set(classes).size + 1) // RESULT_TOO_LARGE is an InvalidResultError too
    expectTypeOf<Exclude<ToolErrorCode, (typeof codes)[number]>>().toBeNever()
  })

  it('takes another cause, outcome and retryable', () => {
    const cause = new Error('ECONNRESET')
    const given = { cause, outcome: 'completed', retryable: false } as const
    expect(new RateLimitedError('t', 1, given)).toMatchObject(given)
    expect(new UpstreamError('reset', given)).toMatchObject(given)
  })

  it('has no status where there is none', () => {
    expect('status' in new UpstreamError('reset').toJSON()).toBe(false)
  })

  it('keeps its issues as they are, whatever becomes of the list', () => {
    const issues = [{ ...issue }]
    const error = new InvalidArgumentsError('t', issues)
    issues.push({ ...issue, path: '/other' })
    Object.assign(issues[0] ?? {}, { path: '/changed' })
    expect(error.issues).toEqual([issue])
    expect([error.issues, ...error.issues].every(Object.isFrozen)).toBe(true)
  })

  it('quotes a name and cuts it, since a caller may send anything', () => {
    expect(new ToolNotFoundError('a"b\nc').message).toBe('Unknown tool "a\\"b\\nc"')
    expect(new ToolNotFoundError('x'.repeat(1_000_000)).message).toBe(`Unknown tool "${'x'.repeat(80)}…"`)
  })
})
