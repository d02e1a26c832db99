import type { AskAnswer, AskQuestion } from '../registry/tool-execution-context.js'

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
