import { isPromise } from '../registry/awaitable.js'
import type { AskAnswer, AskQuestion } from '../registry/tool-execution-context.js'

/** Gives the caller news. What goes wrong there is its own affair, and must not become a failure of the tool. */
export function tell(act: () => unknown): void {
  try {
    const pending = act()
    if (isPromise(pending)) Promise.resolve(pending).catch(() => undefined)
  } catch {
    // As above.
  }
}

/** Asks the caller, and rejects with the signal's reason if the answer would come too late. */
export async function askUntilAborted(
  ask: (question: AskQuestion) => Promise<AskAnswer>,
  question: AskQuestion,
  signal: AbortSignal,
): Promise<AskAnswer> {
  signal.throwIfAborted()
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp)
  })
  try {
    return await Promise.race([ask(question), aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
