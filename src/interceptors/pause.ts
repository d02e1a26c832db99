import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { abortReason } from './abort-reason.js'

/** Resolves after `delayMs`, or rejects when the call is aborted. */
export function pause(delayMs: number, ctx: ToolExecutionContext): Promise<void> {
  const { signal } = ctx
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(ctx))
    const abort = () => {
      clearTimeout(timer)
      reject(abortReason(ctx))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, delayMs)
    signal.addEventListener('abort', abort, { once: true })
  })
}
