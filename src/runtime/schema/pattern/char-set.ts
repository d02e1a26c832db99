/** Inclusive code point ranges, not necessarily sorted. */
export type CharRanges = readonly (readonly [number, number])[]

/** The characters that one atom of a pattern takes. */
export interface CharSet {
  /** Exactly JavaScript's answer for that atom. */
  readonly matches: (code: number) => boolean
  /** At least the characters that match; used only to prove that two sets share none. */
  readonly ranges: CharRanges
}

const LAST = 0x10ffff
/** Every character: what is assumed of a set that is not taken apart. */
export const EVERY_CHAR: CharRanges = [[0, LAST]]

const DIGITS: CharRanges = [[0x30, 0x39]]
const WORD: CharRanges = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
const SPACES: CharRanges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
const LINE_ENDS: CharRanges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]

/** The ranges behind `.` and the escapes `\d \D \w \W \s \S`, by their letter. */
export const NAMED_RANGES: Readonly<Record<string, CharRanges>> = {
  '.': complement(LINE_ENDS),
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACES,
  S: complement(SPACES),
}

/** A set of one character. */
export function singleChar(code: number): CharSet {
  return { matches: (other) => other === code, ranges: [[code, code]] }
}

/**
 * The set of an atom as JavaScript reads it: a one-character expression decides, and its answers for the
 * first 256 characters are kept.
 */
export function nativeSet(atom: string, flags: string, ranges: CharRanges): CharSet {
  // At first need: a pattern that runs natively, or is only looked at, needs neither.
  let native: RegExp | undefined
  let known: Uint8Array | undefined
  const ask = (code: number) => {
    native ??= new RegExp(`^${atom}$`, flags)
    return native.test(String.fromCodePoint(code))
  }
  const matches = (code: number) => {
    if (code > 255) return ask(code)
    known ??= new Uint8Array(256)
    if (known[code] === 0) known[code] = ask(code) ? 1 : 2
    return known[code] === 1
  }
  return { matches, ranges }
}

/** Whether no character is in two of the ranges. */
export function areDisjoint(ranges: CharRanges): boolean {
  const sorted = ranges.toSorted(byStart)
  return sorted.every(([, to], index) => to < (sorted[index + 1]?.[0] ?? Number.POSITIVE_INFINITY))
}

/** The same characters, in ranges that are sorted and disjoint. */
export function merged(ranges: CharRanges): CharRanges {
  return ranges.length < 2 ? ranges : complement(complement(ranges))
}

/** Everything that is not in `ranges`. */
export function complement(ranges: CharRanges): CharRanges {
  const rest: [number, number][] = []
  let next = 0
  for (const [from, to] of ranges.toSorted(byStart)) {
    if (from > next) rest.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= LAST) rest.push([next, LAST])
  return rest
}

function byStart(left: CharRanges[number], right: CharRanges[number]): number {
  return left[0] - right[0]
}
