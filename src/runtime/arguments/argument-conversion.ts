import { segmentsOf } from '../../registry/json-pointer.js'
import { setMember } from '../../registry/json-value.js'
import type { FindMismatches, TypeMismatch } from '../schema/schema-validator.js'
import type { ArgumentsCopy } from './arguments-copy.js'
import { repairText } from './json-repair.js'
import { convertScalar } from './scalar-conversion.js'

/** Rounds of conversion: what a repaired text holds may have to be converted itself. */
const MAX_ROUNDS = 4

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

interface Conversion {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

/**
 * Converts, in place, what stands where the schema wants another type and can be turned into that without loss. Driven by
 * the errors of the schema, so that what is valid is never touched: also below a union that accepts it in another branch.
 * What a conversion does not help is put back.
 *
 * No value has two conversions: numbers, `true` and `false`, JSON objects and JSON arrays are written differently.
 */
export function convertArguments(
  args: Record<string, unknown>,
  mismatches: FindMismatches,
  rules: ConversionRules,
  copy: ArgumentsCopy,
): ConversionOutcome {
  const made: Conversion[] = []
  let left = mismatches(args)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const conversions = left.flatMap((mismatch) => conversionOf(mismatch, args, rules, copy))
    if (conversions.length === 0) break
    for (const { path, to } of conversions) write(args, path, to)
    made.push(...conversions)
    left = mismatches(args)
  }
  const wrong = new Set(left.map(({ path }) => path))
  for (const { path, from } of made.reverse()) if (wrong.has(path)) write(args, path, from)
  return { converted: made.length > 0, left }
}

function conversionOf(
  { path, wanted }: TypeMismatch,
  args: Record<string, unknown>,
  rules: ConversionRules,
  copy: ArgumentsCopy,
): readonly Conversion[] {
  const from = read(args, path)
  const to =
    (rules.coercion ? firstScalar(from, wanted) : undefined) ??
    (rules.repair ? repaired(from, { path, wanted }, rules, copy) : undefined)
  return to === undefined ? [] : [{ path, from, to }]
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
