import type { PromptDescriptor } from '../registry/prompt-descriptor.js'
import type { PromptMessages } from '../registry/prompt-message.js'
import { type InputRequired, isInputRequired } from './call-rounds.js'
import { INVALID_PARAMS, JsonRpcError, membersOf } from './json-rpc.js'
import type { McpCalls } from './mcp-calls.js'
import type { McpRequest } from './mcp-request.js'
import { protocolError } from './protocol-error.js'

/** `prompts/get`. Throws a {@link JsonRpcError} for whatever is wrong. */
export async function getPrompt(
  calls: McpCalls,
  params: unknown,
  request: McpRequest,
): Promise<PromptMessages | InputRequired> {
  const { name, arguments: input } = membersOf(params)
  if (typeof name !== 'string') {
    throw new JsonRpcError(INVALID_PARAMS, 'prompts/get needs params.name, the name of a prompt')
  }
  const result = await calls.run({ kind: 'prompt', name, input }, params, request)
  if (isInputRequired(result)) return result
  if (!result.ok) throw protocolError(result.error, request.era)
  return result.value as PromptMessages // what a prompt definition gives
}

/** A prompt in `prompts/list`. */
export function promptJson(prompt: PromptDescriptor): Readonly<Record<string, unknown>> {
  const { name, title, description, arguments: list, icons, meta } = prompt
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(list.length > 0 && { arguments: list }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { _meta: meta }),
  }
}
