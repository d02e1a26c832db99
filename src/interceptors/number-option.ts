interface NumberRule {
  readonly min: number
  /** Default: no bound. */
  readonly max?: number
  /** Only whole numbers, or infinity where `max` allows it. */
  readonly whole?: boolean
}

/** Refuses an option that is not such a number, by its name and with what would be right. */
export function requireNumber(option: string, value: unknown, { min, max, whole = false }: NumberRule): void {
  const fits =
    typeof value === 'number' &&
    value >= min &&
    value <= (max ?? Number.POSITIVE_INFINITY) &&
    (!whole || Number.isInteger(value) || value === max)
  if (fits) return
  const kind = whole ? 'a whole number' : 'a number'
  const range =
    max === undefined || max === Number.POSITIVE_INFINITY ? `from ${min}` : `from ${min} to ${max}`
  throw new RangeError(`${option} must be ${kind} ${range} (got ${String(value)})`)
}
