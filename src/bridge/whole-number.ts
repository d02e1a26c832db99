/** The value of an option, if it is a whole number from `least`. `option` names it, for the error. */
export function wholeNumber(value: number, option: string, least: 0 | 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new RangeError(`${option} must be a whole number from ${least} (got ${value})`)
}
