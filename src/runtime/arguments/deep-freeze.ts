import { isPlain } from '../../registry/json-value.js'

/** Freezes our own copy: a tree of arrays and plain objects. */
export function freezeTree(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const key in value) freezeTree((value as Readonly<Record<string, unknown>>)[key])
  return Object.freeze(value)
}

/**
 * Freezes what somebody else made, which may be frozen in part, or a cycle. What is neither an array nor a plain object,
 * such as a Date, is left alone.
 */
export function freezeGraph(value: unknown, visited = new Set<object>()): unknown {
  if (typeof value !== 'object' || value === null || !isPlain(value) || visited.has(value)) return value
  visited.add(value)
  for (const member of Object.values(value)) freezeGraph(member, visited)
  return Object.freeze(value)
}
