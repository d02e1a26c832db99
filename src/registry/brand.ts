/**
 * Whether `value` carries `brand`. Unlike `instanceof` this also holds across two copies of this package. Only `true`
 * counts: mocks and remote stubs answer to any member that is asked for.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    return (value as Readonly<Record<symbol, unknown>>)[brand] === true
  } catch {
    return false // a proxy that is revoked or refuses
  }
}
