import { segmentsOf } from '../../registry/json-pointer.js'
import { setMember } from '../../registry/json-value.js'
import type { FindMismatches, TypeMismatch } from '../schema/schema-validator.js'
import type { ArgumentsCopy } from './arguments-copy.js'
import { repairText } from './json-repair.js'
import { convertScalar } from './scalar-conversion.js'

/** Rounds of conversion: what a repaired text holds may have to be converted itself. */
const MAX_ROUNDS = 4
/** Conversions of one union that are tried to be put back: each is another look at all arguments. */
const MAX_TURNS = 20

/** Which conversions are made. */
export interface ConversionRules {
  readonly repair: boolean
  readonly coercion: boolean
  /** What the server sets is no text of a caller: it is not repaired. */
  readonly isBound: (name: string) => boolean
}

/** What came of it. */
export interface ConversionOutcome {
  /** Something was converted, if only for a while. */
  readonly converted: boolean
  readonly left: readonly TypeMismatch[]
}

/** What tells whether arguments are as the schema has them. */
export interface SchemaCheck {
  readonly mismatches: FindMismatches
  readonly isValid: (args: Record<string, unknown>) => boolean
}

interface Conversion {
  readonly path: string
  readonly union: string | undefined
  /** What the caller sent. */
  readonly from: unknown
  readonly to: unknown
}

/**
 * Converts, in place, what stands where the schema wants another type and can be turned into that without loss. Driven by
 * the errors of the schema, so that what is valid is never touched: also below a union that accepts it in another branch.
 * What a conversion does not help, or would be valid without it, is put back.
 *
 * No value has two conversions: numbers, `true` and `false`, JSON objects and JSON arrays are written differently.
 */
export function convertArguments(
  args: Record<string, unknown>,
  check: SchemaCheck,
  rules: ConversionRules,
  copy: ArgumentsCopy,
): ConversionOutcome {
  const made = new Map<string, Conversion>()
  let left = check.mismatches(args)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const conversions = left.flatMap((mismatch) => conversionOf(mismatch, args, rules, { made, copy }))
    if (conversions.length === 0) break
    for (const conversion of conversions) {
      write(args, conversion.path, conversion.to)
      made.set(conversion.path, conversion)
    }
    left = check.mismatches(args)
  }
  const wrong = new Set(left.map(({ path }) => path))
  for (const { path, from } of [...made.values()].reverse()) if (wrong.has(path)) write(args, path, from)
  if (left.length === 0) putBackUnneeded(args, [...made.values()], check)
  return { converted: made.size > 0, left }
}

/**
 * Every branch of a union says what it wants, also one that the value is not meant for: what another branch takes as it is
 * must stay as it is. Tries one conversion of each union at a time.
 */
function putBackUnneeded(
  args: Record<string, unknown>,
  made: readonly Conversion[],
  { mismatches, isValid }: SchemaCheck,
): void {
  const ofUnions = new Map<string, Conversion[]>()
  for (const conversion of made) {
    if (conversion.union === undefined) continue
    const known = ofUnions.get(conversion.union)
    if (known === undefined) ofUnions.set(conversion.union, [conversion])
    else known.push(conversion)
  }
  const back: Tried[] = []
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const tried = [...ofUnions.values()]
      .flatMap(({ [turn]: next }) => next ?? [])
      .map((one) => putBack(args, one))
    if (tried.length === 0) break
    const needed = new Set(mismatches(args).map(({ path }) => path))
    for (const one of tried) {
      if (needed.has(one.path)) write(args, one.path, one.converted)
      else back.push(one)
    }
  }
  // It may be too large for its mismatches to be found, or match more than one branch now.
  if (back.length === 0 || isValid(args)) return
  for (const { path, converted } of back.reverse()) write(args, path, converted)
}

interface Tried {
  readonly path: string
  readonly converted: unknown
}

function putBack(args: Record<string, unknown>, { path, from }: Conversion): Tried {
  const converted = read(args, path)
  write(args, path, from)
  return { path, converted }
}

function conversionOf(
  { path, wanted, union }: TypeMismatch,
  args: Record<string, unknown>,
  rules: ConversionRules,
  { made, copy }: { readonly made: ReadonlyMap<string, Conversion>; readonly copy: ArgumentsCopy },
): readonly Conversion[] {
  const value = read(args, path)
  const before = made.get(path)
  const from = before === undefined ? value : before.from
  const to =
    // "5.0" that became 5 is not "5" again.
    (typeof from === 'string' && wanted.has('string') && value !== from ? from : undefined) ??
    (rules.coercion ? firstScalar(value, wanted) : undefined) ??
    (rules.repair ? repaired(value, { path, wanted }, rules, copy) : undefined)
  return to === undefined ? [] : [{ path, union, from, to }]
}

function firstScalar(value: unknown, wanted: ReadonlySet<string>): unknown {
  for (const type of wanted) {
    const converted = convertScalar(value, type)
    if (converted !== undefined) return converted
  }
  return undefined
}

function repaired(
  value: unknown,
  { path, wanted }: TypeMismatch,
  { isBound }: ConversionRules,
  copy: ArgumentsCopy,
): unknown {
  if (typeof value !== 'string' || !(wanted.has('array') || wanted.has('object'))) return undefined
  const segments = segmentsOf(path)
  if (segments[0] !== undefined && isBound(segments[0])) return undefined
  return repairText(value, wanted, { copy, path, depth: segments.length })
}

/** The value at a path of our own copy. */
export function read(args: Readonly<Record<string, unknown>>, path: string): unknown {
  return segmentsOf(path).reduce<unknown>(memberOf, args)
}

function write(args: Record<string, unknown>, path: string, value: unknown): void {
  const segments = segmentsOf(path)
  const name = segments.at(-1)
  const holder = segments.slice(0, -1).reduce<unknown>(memberOf, args)
  if (name !== undefined && typeof holder === 'object' && holder !== null)
    setMember(holder as Record<string, unknown>, name, value)
}

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined
  return (holder as Readonly<Record<string, unknown>>)[name]
}
