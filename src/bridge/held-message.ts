import type { JsonRpcMessage } from './json-rpc.js'

/** Ample for a client's name, icons and capabilities, or for what it wants to hear of. */
export const MAX_HELD_BYTES = 64 * 1024

/**
 * Whether the message is larger than one should be that opens something long: the SDKs keep what is in an `initialize` for
 * as long as the session lasts, and a `subscriptions/listen` for as long as its stream, however large it is.
 */
export function isTooLargeToHold(message: JsonRpcMessage): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(message)) > MAX_HELD_BYTES
  } catch {
    // Nested too deep to be written.
    return true
  }
}
