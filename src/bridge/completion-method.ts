import type { Completion } from '../registry/completion.js'
import { isObject } from '../registry/json-value.js'
import type { CompletionRequest } from '../runtime/runtime-request.js'
import { isInputRequired } from './call-rounds.js'
import { INTERNAL_ERROR, INVALID_PARAMS, JsonRpcError, membersOf } from './json-rpc.js'
import type { McpCalls } from './mcp-calls.js'
import type { McpRequest } from './mcp-request.js'
import { protocolError } from './protocol-error.js'

/** `completion/complete`. Throws a {@link JsonRpcError} for whatever is wrong. */
export async function completeArgument(
  calls: McpCalls,
  params: unknown,
  request: McpRequest,
): Promise<{ readonly completion: Completion }> {
  const result = await calls.run({ kind: 'completion', ...completionOf(params) }, params, request)
  if (isInputRequired(result)) throw new JsonRpcError(INTERNAL_ERROR, 'A completion cannot ask')
  if (!result.ok) {
    // Nothing is read: in both eras what is not there is a wrong parameter (MCP "Completion", Error Handling).
    if (result.error.code === 'RESOURCE_NOT_FOUND')
      throw new JsonRpcError(INVALID_PARAMS, result.error.message)
    throw protocolError(result.error, request.era)
  }
  return { completion: result.value as Completion } // what a definition gives
}

function completionOf(params: unknown): CompletionRequest {
  const { ref, argument, context } = membersOf(params)
  const of = referenceOf(ref)
  const { name, value } = membersOf(argument)
  if (of === undefined || typeof name !== 'string' || typeof value !== 'string') {
    throw new JsonRpcError(
      INVALID_PARAMS,
      'completion/complete needs params.ref (ref/prompt with a name, or ref/resource with a uri) and params.argument (name and value, both strings)',
    )
  }
  return { of, argument: { name, value }, context: filledIn(context) }
}

function referenceOf(ref: unknown): CompletionRequest['of'] | undefined {
  const { type, name, uri } = membersOf(ref)
  if (type === 'ref/prompt' && typeof name === 'string') return { prompt: name }
  return type === 'ref/resource' && typeof uri === 'string' ? { resourceTemplate: uri } : undefined
}

function filledIn(context: unknown): Readonly<Record<string, string>> {
  const { arguments: args } = membersOf(context)
  if (!isObject(args)) return {}
  const strings = Object.entries(args).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(strings)
}
