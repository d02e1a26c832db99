import { isObject } from '../../registry/json-value.js'
import { ToolError } from '../../registry/tool-error.js'
import type { ArgumentsCopy } from './arguments-copy.js'
import { keepsDigits } from './scalar-conversion.js'

/**
 * The object or list that a JSON text holds, if it is of one of the `wanted` types. Undefined where the text holds something
 * else, is no JSON, breaks the bounds of arguments, or would lose digits of a number.
 */
export function repairText(
  text: string,
  wanted: ReadonlySet<string>,
  { copy, path, depth }: { readonly copy: ArgumentsCopy; readonly path: string; readonly depth: number },
): unknown {
  const opening = /^\s*([[{])/.exec(text)?.[1]
  if (!wanted.has(opening === '[' ? 'array' : 'object')) return undefined
  const parsed = parse(text)
  if (!(opening === '[' ? Array.isArray(parsed) : isObject(parsed)) || losesDigits(text)) return undefined
  try {
    return copy.value(parsed, path, depth)
  } catch (error) {
    if (ToolError.is(error)) return undefined
    throw error
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Strings are matched too, so that what looks like a number inside one is passed over. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

function losesDigits(json: string): boolean {
  for (const [token] of json.matchAll(STRING_OR_NUMBER))
    if (!token.startsWith('"') && !keepsDigits(token)) return true
  return false
}
