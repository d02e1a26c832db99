import { digest } from '../../registry/fingerprint.js'
import { isPlain, setMember } from '../../registry/json-value.js'

/**
 * Equal for equal arguments. Beside JSON it takes what schema libraries like to make of it: dates and bigints. Nothing
 * where the arguments hold anything else, whose differences cannot be seen from outside.
 */
export function argumentsDigest(args: unknown): string | undefined {
  try {
    return digest(args)
  } catch {
    return digestOfMore(args)
  }
}

function digestOfMore(args: unknown): string | undefined {
  try {
    return digest(comparable(args))
  } catch {
    return undefined
  }
}

function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (value instanceof Date) return { $date: value.toISOString() }
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  if (Object.getOwnPropertySymbols(value).length > 0) return value
  const result: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) setMember(result, name, comparable(member))
  return result
}
