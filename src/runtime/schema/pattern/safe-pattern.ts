import { buildAutomaton, type PatternAutomaton, search } from './automaton.js'
import { areDisjoint } from './char-set.js'
import { PatternError, type PatternNode, parsePattern } from './syntax.js'

export { PatternError } from './syntax.js'

/** A pattern that answers in time proportional to the text. */
export interface SafePattern {
  test(text: string): boolean
}

/** Characters of the longest pattern that is taken. */
export const MAX_PATTERN_LENGTH = 2_000
/** Text length × automaton states of the largest search, about a tenth of a second. */
export const MAX_PATTERN_STEPS = 5_000_000

/** A counted repetition above this is analysed as an unbounded one. */
const COUNTED = 64
/** States up to which an unanchored pattern may run natively: what each start position may cost. */
const NATIVE_STATES = 200

/**
 * A JSON Schema pattern that cannot explode, whatever the pattern and the text. It means what the same `RegExp` means, with the `u`
 * flag or, where that is a syntax error, without; no flag beside it, so `$` is the end of the text alone and `.` no line end.
 *
 * Patterns in which the next character always decides the way, such as `^[a-z]+-\d{4}$`, run natively. All others, look-around
 * included, run on an automaton. It differs from `RegExp` in one point: a text so long that the search would exceed
 * `MAX_PATTERN_STEPS` does not match. Throws `PatternError` for a pattern that is broken, too large, or refers back to a group.
 *
 * Why this is ours: the libraries of the RE2 class (re2js, say) are as safe, but read another language. They know no look-around,
 * which patterns that zod publishes use (its ISO 8601 duration), no `\u00e9` and no `{1,4096}`; `\s` and `.` take other characters.
 * For each such pattern a tool from elsewhere would have to be left out, or checked by another rule than it states.
 */
export function createSafePattern(source: string): SafePattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    throw new PatternError(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  }
  const native = construct(source)
  const pattern = parsePattern(source, native.unicode ? 'u' : '')
  return isDecided(pattern) ? native : new AutomatonPattern(native, buildAutomaton(pattern))
}

class AutomatonPattern implements SafePattern {
  readonly #native: RegExp
  readonly #automaton: PatternAutomaton

  constructor(native: RegExp, automaton: PatternAutomaton) {
    this.#native = native
    this.#automaton = automaton
  }

  test(text: string): boolean {
    if (text.length * this.#automaton.states.length > MAX_PATTERN_STEPS) return false
    return search(this.#automaton, codesOf(text, this.#native.unicode))
  }

  /** Ajv keys compiled patterns by this. */
  toString(): string {
    return String(this.#native)
  }
}

function construct(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch (unicodeError) {
    try {
      return new RegExp(source)
    } catch {
      throw new PatternError('it is not a regular expression of JavaScript (ECMA-262)', {
        cause: unicodeError,
      })
    }
  }
}

function codesOf(text: string, unicode: boolean): Int32Array {
  const codes = new Int32Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = (unicode ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0
    codes[length++] = code
    if (code > 0xffff) at++
  }
  return codes.subarray(0, length)
}

/**
 * Whether a backtracking engine is linear on it: from every state, no two ways lead to the same state and no two ways take the same
 * character, so that a wrong way ends at once; and it is tried at the start only, or each try is short.
 */
function isDecided(pattern: PatternNode): boolean {
  let automaton: PatternAutomaton
  try {
    automaton = buildAutomaton(pattern, COUNTED)
  } catch (error) {
    if (error instanceof PatternError) return false
    throw error
  }
  const { states, start, looks } = automaton
  if (looks.length > 0) return false
  if (!isAnchored(pattern) && (isUnbounded(pattern) || states.length > NATIVE_STATES)) return false
  const starts = [start, ...states.flatMap((state) => (state.type === 'char' ? [state.next] : []))]
  return [...new Set(starts)].every((from) => hasOneWay(automaton, from))
}

function hasOneWay({ states }: PatternAutomaton, from: number): boolean {
  const seen = new Set<number>()
  const taken: number[] = []
  const pending = [from]
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (seen.has(index)) return false
    seen.add(index)
    const state = states[index]
    if (state?.type === 'split') pending.push(state.next, state.other)
    else if (state?.type === 'check') pending.push(state.next)
    else if (state?.type === 'char') {
      const { ranges } = state.chars
      const isClear = taken.every((other) => {
        const rival = states[other]
        return rival?.type === 'char' && areDisjoint(rival.chars.ranges, ranges)
      })
      if (!isClear) return false
      taken.push(index)
    }
  }
  return true
}

function isAnchored(node: PatternNode): boolean {
  if (node.type === 'edge') return node.edge === '^'
  if (node.type === 'sequence') return node.items[0] !== undefined && isAnchored(node.items[0])
  if (node.type === 'choice') return node.options.every(isAnchored)
  return false
}

function isUnbounded(node: PatternNode): boolean {
  if (node.type === 'repeat') return node.max > COUNTED || isUnbounded(node.body)
  if (node.type === 'sequence') return node.items.some(isUnbounded)
  if (node.type === 'choice') return node.options.some(isUnbounded)
  return false
}
