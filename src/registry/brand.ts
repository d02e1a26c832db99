/**
 * Whether `value` carries `brand`. Unlike `instanceof` it also holds across two copies of this package. It has to be `true`
 * itself: mocks and remote stubs have any member that is asked for.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    return (value as Readonly<Record<symbol, unknown>>)[brand] === true
  } catch {
    return false // a proxy that is revoked or refuses
  }
}
