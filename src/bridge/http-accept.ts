/**
 * The media types among `needed` that an `Accept` header does not take (RFC 9110 section 12.5.1). Like HTTP, and unlike the
 * letter of MCP, this lets wildcards stand for them, and takes a client without the header for one that takes anything.
 */
export function notAccepted(accept: string | undefined, needed: readonly string[]): readonly string[] {
  if (accept === undefined) return []
  const ranges = accept.split(',').map(readRange)
  return needed.filter((type) => !isAccepted(type, ranges))
}

interface Range {
  readonly type: string
  readonly isRefused: boolean
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  return { type, isRefused: parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter)) }
}

/** The most specific range that covers the type decides. */
function isAccepted(type: string, ranges: readonly Range[]): boolean {
  const family = `${type.split('/', 1)[0]}/*`
  for (const covering of [type, family, '*/*']) {
    const found = ranges.filter((range) => range.type === covering)
    if (found.length > 0) return found.some(({ isRefused }) => !isRefused)
  }
  return false
}
