import type { CharSet } from './char-set.js'
import { PatternError, type PatternNode } from './syntax.js'

/** States of the largest automaton that is built; `{n,m}` counts its body m times. */
export const MAX_PATTERN_STATES = 2_000

/** Where a state leads; `next` and `other` are indexes into the states. */
export type PatternState =
  | { readonly type: 'char'; readonly chars: CharSet; readonly next: number }
  | { readonly type: 'split'; readonly next: number; readonly other: number }
  | { readonly type: 'check'; readonly holds: Check; readonly next: number }
  | { readonly type: 'accept' }

/**
 * Whether a state that takes no character lets through at `position`; the table of a
 * look-around is 1 wherever it matches.
 */
type Check = (position: number, text: Int32Array, tables: readonly Uint8Array[]) => boolean

/** A look-around: an automaton of its own, run over the whole text once, before the one that asks. */
export interface LookProgram {
  readonly start: number
  readonly backwards: boolean
}

/** A pattern as a nondeterministic automaton: its states, where it starts, and its look-arounds, innermost first. */
export interface PatternAutomaton {
  readonly states: readonly PatternState[]
  readonly start: number
  readonly looks: readonly LookProgram[]
}

const ACCEPT = 0

const EDGES: Readonly<Record<(PatternNode & { type: 'edge' })['edge'], Check>> = {
  '^': (position) => position === 0,
  $: (position, text) => position === text.length,
  b: isBoundary,
  B: (position, text) => !isBoundary(position, text),
}

/**
 * Builds the automaton of a pattern (Thompson's construction). Repetitions beyond `maxCount` are taken as unbounded. Throws
 * `PatternError` when it would have too many states.
 */
export function buildAutomaton(pattern: PatternNode, maxCount = Number.POSITIVE_INFINITY): PatternAutomaton {
  const states: PatternState[] = [{ type: 'accept' }]
  const looks: LookProgram[] = []

  function add(state: PatternState): number {
    if (states.length >= MAX_PATTERN_STATES) {
      throw new PatternError(
        `it needs more than ${MAX_PATTERN_STATES} states; use smaller repetition counts or maxLength`,
      )
    }
    return states.push(state) - 1
  }

  /** The state from which `node` is read and then `next` goes on. */
  function emit(node: PatternNode, next: number, backwards: boolean): number {
    switch (node.type) {
      case 'char':
        return add({ type: 'char', chars: node.chars, next })
      case 'edge':
        return add({ type: 'check', holds: EDGES[node.edge], next })
      case 'sequence': {
        const items = backwards ? node.items : node.items.toReversed()
        return items.reduce((after, item) => emit(item, after, backwards), next)
      }
      case 'choice':
        return node.options
          .map((option) => emit(option, next, backwards))
          .reduceRight((other, option) => add({ type: 'split', next: option, other }))
      case 'repeat':
        return emitRepeat(node, next, backwards)
      case 'look': {
        const start = emit(node.body, ACCEPT, node.ahead)
        const look = looks.push({ start, backwards: node.ahead }) - 1
        const holds: Check = (position, _, tables) => (tables[look]?.[position] === 1) !== node.negated
        return add({ type: 'check', holds, next })
      }
    }
  }

  function emitRepeat(node: PatternNode & { type: 'repeat' }, next: number, backwards: boolean): number {
    const unbounded = node.max === Number.POSITIVE_INFINITY || node.max > maxCount
    const min = Math.min(node.min, maxCount)
    let after = next
    if (unbounded) {
      const loop = add({ type: 'split', next: ACCEPT, other: next })
      states[loop] = { type: 'split', next: emit(node.body, loop, backwards), other: next }
      after = loop
    } else {
      for (let count = min; count < node.max; count++) {
        after = add({ type: 'split', next: emit(node.body, after, backwards), other: next })
      }
    }
    for (let count = 0; count < min; count++) {
      const before = after
      after = emit(node.body, after, backwards)
      // An empty body has no states, so that their number would not bound the count.
      if (after === before) break
    }
    return after
  }

  const start = emit(pattern, ACCEPT, false)
  return { states, start, looks }
}

/** Takes the steps that a search is making; ends it by throwing. */
export type Spend = (steps: number) => void

/**
 * Whether the automaton finds the pattern anywhere in the text (code points or code units), in time proportional to the
 * length of the text and the number of states. A step is one state at one character.
 */
export function search(automaton: PatternAutomaton, text: Int32Array, spend: Spend): boolean {
  const tables: Uint8Array[] = []
  for (const { start, backwards } of automaton.looks) {
    const table = new Uint8Array(text.length + 1)
    run(automaton, { start, text, tables, backwards, spend }, (position) => {
      table[position] = 1
      return false
    })
    tables.push(table)
  }
  return run(automaton, { start: automaton.start, text, tables, backwards: false, spend }, () => true)
}

interface Run {
  readonly start: number
  readonly text: Int32Array
  readonly tables: readonly Uint8Array[]
  readonly backwards: boolean
  readonly spend: Spend
}

/** Tries a match at every position at once; `accepted` hears each position where one ends and stops the run with true. */
function run(
  { states }: PatternAutomaton,
  { start, text, tables, backwards, spend }: Run,
  accepted: (position: number) => boolean,
): boolean {
  // For the arrays.
  spend(states.length >> 3)
  // Fixed typed arrays: this loop is what a hostile pattern pays for, state by state and character by character.
  const marks = new Int32Array(states.length).fill(-1)
  const stack = new Int32Array(states.length)
  let current = new Int32Array(states.length)
  let upcoming = new Int32Array(states.length)
  let waiting = 0
  let steps = 0

  /** Follows what consumes nothing into `list`; the accepting state is marked like any other. */
  function reach(from: number, position: number, list: Int32Array): void {
    let depth = 0
    let index = from
    for (;;) {
      steps++
      const isNew = marks[index] !== position
      marks[index] = position
      const state = isNew ? states[index] : undefined
      if (state?.type === 'char') list[waiting++] = index
      if (state?.type === 'split') {
        stack[depth++] = state.other
        index = state.next
      } else if (state?.type === 'check' && state.holds(position, text, tables)) index = state.next
      else if (depth === 0) return
      else index = stack[--depth] ?? ACCEPT
    }
  }

  const [first, last, step] = backwards ? [text.length, 0, -1] : [0, text.length, 1]
  for (let position = first; ; position += step) {
    reach(start, position, current)
    if (marks[ACCEPT] === position && accepted(position)) return true
    if (position === last) return false
    const code = text[backwards ? position - 1 : position] ?? 0
    const count = waiting
    spend(steps + count)
    steps = 0
    waiting = 0
    for (let at = 0; at < count; at++) {
      const state = states[current[at] ?? ACCEPT]
      if (state?.type === 'char' && state.chars.matches(code)) reach(state.next, position + step, upcoming)
    }
    ;[current, upcoming] = [upcoming, current]
  }
}

function isBoundary(position: number, text: Int32Array): boolean {
  return isWord(text[position - 1]) !== isWord(text[position])
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code))
}
