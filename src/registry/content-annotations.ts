import { mustBe } from './definition-init.js'
import { isObject } from './json-value.js'
import type { DefinitionFault } from './tool-definition-error.js'

/** What a client may do with a piece of content or a resource (MCP `Annotations`). Hints: nothing is enforced. */
export interface ContentAnnotations {
  /** Whom it is meant for. */
  readonly audience?: readonly ('user' | 'assistant')[]
  /** From 0, which may be left out, to 1, which is needed. */
  readonly priority?: number
  /** ISO 8601 with a time zone, such as `2026-01-12T15:00:58Z`. */
  readonly lastModified?: string
}

/** All that would make a client throw away what the annotations stand on. */
export function contentAnnotationFaults(annotations: unknown, path = 'annotations'): DefinitionFault[] {
  if (annotations === undefined) return []
  if (!isObject(annotations)) return [mustBe(path, 'an object', annotations)]
  const { audience, priority, lastModified } = annotations
  return [
    ...(audience === undefined || isAudience(audience)
      ? []
      : [mustBe(`${path}/audience`, 'a list of "user" and "assistant"', audience)]),
    ...(priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1)
      ? []
      : [mustBe(`${path}/priority`, 'a number from 0 to 1', priority)]),
    ...(lastModified === undefined || isMoment(lastModified)
      ? []
      : [mustBe(`${path}/lastModified`, 'a time such as 2026-01-12T15:00:58Z', lastModified)]),
  ]
}

function isAudience(value: unknown): boolean {
  return Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant')
}

function isMoment(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return (
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
}
