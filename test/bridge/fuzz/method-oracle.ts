import type { Era } from '../../../src/bridge/era.js'

/** What an answer may be: `result`, `stream`, or the code of an error. */
export type Outcome = 'result' | 'stream' | number

/** What the server says it serves, by era. */
export type Served = Readonly<Record<Era, ReadonlySet<string>>>

/** The methods that come with a capability. */
const METHODS_OF: Readonly<Record<string, readonly string[]>> = {
  tools: ['tools/list', 'tools/call'],
  resources: ['resources/list', 'resources/templates/list', 'resources/read'],
  prompts: ['prompts/list', 'prompts/get'],
  completions: ['completion/complete'],
}

/** The methods that a server with these capabilities answers. */
export function servedMethods(
  era: Era,
  capabilities: Readonly<Record<string, unknown>>,
): ReadonlySet<string> {
  const { resources, logging, extensions } = capabilities as {
    readonly extensions?: Readonly<Record<string, unknown>>
    readonly resources?: { readonly subscribe?: boolean }
    readonly logging?: object
  }
  return new Set([
    ...Object.keys(capabilities).flatMap((name) => METHODS_OF[name] ?? []),
    ...(era === 'legacy' ? ['initialize', 'ping'] : ['server/discover', 'subscriptions/listen']),
    ...(era === 'legacy' && logging ? ['logging/setLevel'] : []),
    ...(era === 'legacy' && resources?.subscribe ? ['resources/subscribe', 'resources/unsubscribe'] : []),
    ...(extensions?.['io.modelcontextprotocol/tasks'] ? ['tasks/get', 'tasks/update', 'tasks/cancel'] : []),
  ])
}

const NOT_FOUND = -32601
const INVALID = -32602
const MISSING_CAPABILITY = -32021
/** What SDK 1.x clients know as "resource not found". */
const NO_RESOURCE = -32002

const TOOLS = new Set(['add', 'greet', 'nothing', 'boom', 'limited', 'upstream', 'who', 'degraded', 'blocks'])
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

type Params = Readonly<Record<string, unknown>>

/**
 * What a request that has come through to its method may be answered with. `intact`: its parameters are as a client
 * writes them, so a refusal would be a fault of the server.
 */
export function outcomesOf(
  method: string,
  params: Params,
  { era, served, intact }: { readonly era: Era; readonly served: Served; readonly intact: boolean },
): readonly Outcome[] {
  if (!served[era].has(method)) return [NOT_FOUND]
  const outcomes = methodOutcomes(method, params, intact)
  // A round that goes on where nothing was asked.
  const isRound = era === 'modern' && ('requestState' in params || 'inputResponses' in params)
  return isRound ? [...outcomes, INVALID] : outcomes
}

function methodOutcomes(method: string, params: Params, intact: boolean): readonly Outcome[] {
  switch (method) {
    case 'tools/call':
      return callOutcomes(params)
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      // No client of the campaign says that it knows tasks.
      return [MISSING_CAPABILITY]
    case 'logging/setLevel':
      return LEVELS.includes(params.level as string) ? ['result'] : [INVALID]
    case 'ping':
    case 'server/discover':
      return ['result']
    case 'subscriptions/listen':
      if (!isObject(params.notifications)) return [INVALID]
      // Who asks for nothing that there is gets its answer at once.
      return intact ? ['stream'] : ['stream', 'result', INVALID]
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      if (typeof params.uri !== 'string') return [INVALID]
      return intact ? ['result'] : ['result', INVALID, NO_RESOURCE]
    case 'prompts/get':
      if (typeof params.name !== 'string') return [INVALID]
      return intact ? ['result'] : ['result', INVALID]
    case 'completion/complete':
      if (!isObject(params.ref) || !isObject(params.argument)) return [INVALID]
      return intact ? ['result'] : ['result', INVALID, NO_RESOURCE]
    default:
      if (method.endsWith('/list') && 'cursor' in params) return [INVALID]
      return intact || method.endsWith('/list') ? ['result'] : ['result', INVALID]
  }
}

function callOutcomes({ name, arguments: args }: Params): readonly Outcome[] {
  if (typeof name !== 'string') return [INVALID]
  if (args !== undefined && !isObject(args)) return [INVALID]
  if (TOOLS.has(name) || ['echo', 'steps', 'numbers', 'routed', 'late', 'bad_block'].includes(name))
    return ['result']
  return [INVALID]
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
