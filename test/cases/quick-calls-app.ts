import { getEventListeners } from 'node:events'
import {
  AttemptTimeoutInterceptor,
  CircuitBreakerInterceptor,
  ConcurrencyLimitInterceptor,
  RetryInterceptor,
} from '../../src/interceptors/index.js'
import { started, tool } from '../runtime/runtime-fixture.js'

/** Makes 2 000 quick calls under one signal, with a deadline far away, says what is left of them, and lets itself end. */
const interceptors =
  process.argv[2] === 'bare'
    ? []
    : [
        new RetryInterceptor(),
        new CircuitBreakerInterceptor(),
        new ConcurrencyLimitInterceptor({ queue: 2_000 }),
        new AttemptTimeoutInterceptor({ timeoutMs: 30_000 }),
      ]
const warnings: string[] = []
process.on('warning', ({ name }) => void warnings.push(name))
const { runtime } = await started({
  interceptors,
  tools: [
    tool('quick', ({ args }) => new Promise((resolve) => setImmediate(resolve, args.n)), {
      metadata: { timeoutMs: 60_000, idempotent: true },
    }),
  ],
})
const session = new AbortController()
const answers = await Promise.all(
  Array.from({ length: 2_000 }, (_, n) => runtime.call('quick', { n }, { signal: session.signal })),
)
// Warnings come in a later turn.
await new Promise(setImmediate)
console.log(
  JSON.stringify({
    answered: answers.filter(({ ok }) => ok).length,
    listeners: getEventListeners(session.signal, 'abort').length,
    warnings,
  }),
)
