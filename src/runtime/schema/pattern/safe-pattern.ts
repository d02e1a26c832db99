import { buildAutomaton, type PatternAutomaton, type Spend, search } from './automaton.js'
import { areDisjoint, type CharRanges, merged } from './char-set.js'
import { PatternError, type PatternNode, parsePattern } from './syntax.js'

export { PatternError } from './syntax.js'

/** A pattern that answers in time proportional to the text. */
export interface SafePattern {
  /** Whether the engine of `RegExp` runs it. */
  readonly isNative: boolean
  test(text: string): boolean
}

/** Characters of the longest pattern that is taken. */
export const MAX_PATTERN_LENGTH = 2_000

/** A counted repetition above this is analysed as an unbounded one. */
const COUNTED = 64
/** States up to which an unanchored pattern may run natively: what each start position may cost. */
const NATIVE_STATES = 200
/** States and character ranges that are looked at to find out whether a pattern may run natively. */
const MAX_ANALYSIS = 10_000
/** Characters that the native engine takes in the time of one step. */
const NATIVE_SPEED = 8

/**
 * A JSON Schema pattern that cannot explode, whatever the pattern and the text. It means what the same `RegExp`
 * means, with the `u` flag or, where that is a syntax error, without; no flag beside it, so `$` is the end of the
 * text alone and `.` no line end.
 *
 * Patterns in which the next character always decides the way, such as `^[a-z]+-\d{4}$`, run natively. All others,
 * look-around included, run on an automaton. Each search takes its steps through `spend`, which may end it by throwing:
 * a search that was not finished must be taken neither for a match nor for none. Throws `PatternError` for a pattern
 * that is broken, too large, or refers back to a group.
 *
 * Why this is ours: the libraries of the RE2 class (re2js, say) are as safe, but read another language. They know no
 * look-around, which patterns that zod publishes use (its ISO 8601 duration), no `\u00e9` and no `{1,4096}`; `\s`
 * and `.` take other characters. For each such pattern a tool from elsewhere would have to be left out, or checked
 * by another rule than it states.
 */
export function createSafePattern(source: string, spend: Spend = () => undefined): SafePattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    throw new PatternError(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  }
  const native = construct(source)
  const pattern = parsePattern(source, native.unicode ? 'u' : '')
  const tries = nativeTries(pattern)
  return tries === undefined
    ? new AutomatonPattern(native, buildAutomaton(pattern), spend)
    : new NativePattern(native, tries, spend)
}

class NativePattern implements SafePattern {
  readonly isNative = true
  readonly #native: RegExp
  readonly #tries: number
  readonly #spend: Spend

  constructor(native: RegExp, tries: number, spend: Spend) {
    this.#native = native
    this.#tries = tries
    this.#spend = spend
  }

  test(text: string): boolean {
    this.#spend(1 + Math.floor((text.length * this.#tries) / NATIVE_SPEED))
    return this.#native.test(text)
  }

  /** Ajv keys compiled patterns by this. */
  toString(): string {
    return String(this.#native)
  }
}

class AutomatonPattern implements SafePattern {
  readonly isNative = false
  readonly #native: RegExp
  readonly #automaton: PatternAutomaton
  readonly #spend: Spend

  constructor(native: RegExp, automaton: PatternAutomaton, spend: Spend) {
    this.#native = native
    this.#automaton = automaton
    this.#spend = spend
  }

  test(text: string): boolean {
    this.#spend(text.length)
    return search(this.#automaton, codesOf(text, this.#native.unicode), this.#spend)
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
 * How often a backtracking engine may look at one character, when it is linear on the pattern: from every state, no two
 * ways lead to the same state and no two ways take the same character, so that a wrong way ends at once; and it is
 * tried at the start only, or each try is short. Undefined when it is not, or when finding out would take long.
 */
function nativeTries(pattern: PatternNode): number | undefined {
  let automaton: PatternAutomaton
  try {
    automaton = buildAutomaton(pattern, COUNTED)
  } catch (error) {
    if (error instanceof PatternError) return undefined
    throw error
  }
  const { states, start, looks } = automaton
  if (looks.length > 0) return undefined
  const isOneTry = isAnchored(pattern)
  if (!isOneTry && (isUnbounded(pattern) || states.length > NATIVE_STATES)) return undefined
  const starts = new Set([start, ...states.flatMap((state) => (state.type === 'char' ? [state.next] : []))])
  let left = MAX_ANALYSIS
  for (const from of starts) {
    left -= waysFrom(automaton, from, left)
    if (left < 0) return undefined
  }
  return isOneTry ? 1 : states.length
}

/** What was looked at to see that there is one way only; infinite when there are two, or when it exceeds `limit`. */
function waysFrom({ states }: PatternAutomaton, from: number, limit: number): number {
  const seen = new Set<number>()
  const taken: CharRanges[number][] = []
  const pending = [from]
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (seen.has(index) || seen.size + taken.length > limit) return Number.POSITIVE_INFINITY
    seen.add(index)
    const state = states[index]
    if (state?.type === 'split') pending.push(state.next, state.other)
    else if (state?.type === 'check') pending.push(state.next)
    else if (state?.type === 'char') {
      for (const range of merged(state.chars.ranges)) taken.push(range)
    }
  }
  return areDisjoint(taken) ? seen.size + taken.length : Number.POSITIVE_INFINITY
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
