import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { isTooLargeToHold, MAX_HELD_BYTES } from '../held-message.js'
import { INVALID_PARAMS, INVALID_REQUEST, isRequest, type JsonRpcMessage } from '../json-rpc.js'

export interface HandshakeFault {
  /** For HTTP. */
  readonly status: 400 | 413
  readonly code: number
  readonly message: string
}

/** What is wrong with an `initialize`, before the SDK gets it, which answers a malformed one with its parser's report. */
export function handshakeFault(message: JsonRpcMessage): HandshakeFault | undefined {
  if (!isRequest(message)) {
    return { status: 400, code: INVALID_REQUEST, message: 'initialize must be a request, with an id' }
  }
  if (isTooLargeToHold(message)) {
    return {
      status: 413,
      code: INVALID_REQUEST,
      message: `An initialize request must not be larger than ${MAX_HELD_BYTES} bytes`,
    }
  }
  if (isInitializeRequest(message)) return undefined
  return {
    status: 400,
    code: INVALID_PARAMS,
    message:
      'initialize needs protocolVersion, capabilities and clientInfo (name, version), as MCP describes them',
  }
}
