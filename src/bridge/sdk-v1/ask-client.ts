import { type AskAnswer, type AskedQuestion, CAPABILITY_OF } from '../../registry/ask.js'
import { LONGEST_TIMER_MS } from '../../registry/idle-wait.js'
import { AskUnsupportedError, UpstreamError } from '../../registry/tool-error.js'
import { supports } from '../client-capabilities.js'
import { inputRequestOf } from '../input-request.js'

/** The part of SDK 1.x's `extra` that is used, of whichever copy of the SDK. */
export interface AskingExtra {
  // biome-ignore lint/suspicious/noExplicitAny: generic over zod schemas in the SDK
  sendRequest(request: any, resultSchema: any, options?: any): Promise<unknown>
}

/**
 * Asks the client on the stream of the request that is running. Rejects at once where the client has not said that it can
 * be asked so. How long the answer may take is for the runtime to say, by the signal.
 */
export async function askClient(
  capabilities: unknown,
  extra: AskingExtra,
  question: AskedQuestion,
  signal: AbortSignal,
): Promise<AskAnswer> {
  const capability = CAPABILITY_OF[question.kind]
  if (!supports(capabilities, capability)) throw new AskUnsupportedError(capability)
  try {
    const answer = await extra.sendRequest(inputRequestOf(question), anyResult, {
      signal,
      timeout: LONGEST_TIMER_MS,
    })
    return answer as AskAnswer // the runtime checks it
  } catch (cause) {
    throw new UpstreamError('The client did not answer the question', { cause })
  }
}

/** What the SDK needs of a zod schema for a result. This one lets everything through. */
const anyResult = { safeParse: (data: unknown) => ({ success: true, data }) }
