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

/** A number, or where a string begins. A pattern of whole strings overflows on one of some megabytes. */
const QUOTE_OR_NUMBER = /"|-?\d[\d.eE+-]*/g

/** Of text that is JSON. What looks like a number inside a string is passed over. */
function losesDigits(json: string): boolean {
  const tokens = new RegExp(QUOTE_OR_NUMBER)
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found
    if (token === '"') tokens.lastIndex = endOfString(json, tokens.lastIndex)
    else if (!keepsDigits(token)) return true
  }
  return false
}

function endOfString(json: string, from: number): number {
  let at = from
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}
