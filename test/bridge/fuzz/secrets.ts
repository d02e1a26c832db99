import { inspect } from 'node:util'
import type { LogLine } from '../../interceptors/recording-logger.js'

/** What a client sends and nobody may log, named by where it stands in a request. */
export const CANARY = {
  authorization: 'cAnArY-authorization-5Rk2',
  header: 'cAnArY-header-5Rk2',
  argument: 'cAnArY-argument-5Rk2',
  meta: 'cAnArY-meta-5Rk2',
  id: 'cAnArY-id-5Rk2',
} as const

/** What an error must not tell: stacks, paths, the report of a parser. */
const INTERNALS = [
  /invalid_type|invalid_union|unrecognized_keys|invalid_literal|ZodError|\bzod\b/i,
  /Expected \w+, received|expected \w+, received/,
  /\bat (async )?[\w.<>]+ \(|\bat \/|\bat file:|node_modules|node:internal|\.[cm]?[jt]s:\d/,
  /(^|[\s"'(])\/(home|usr|srv|work|tmp|var|root|Users)\//,
  /Maximum call stack|Cannot read propert|is not a function|is not iterable/,
]

/** The faults of a text that a client gets: what is in it that should not be. */
export function internalsIn(text: string): string[] {
  const found = INTERNALS.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
  if (text.includes(CANARY.authorization)) found.push(CANARY.authorization)
  return found.map((what) => `an answer tells ${JSON.stringify(what)}`)
}

/** The secrets in what was logged. A call's own id and name are logged by design. */
export function secretsIn(lines: readonly LogLine[]): string[] {
  return lines.flatMap(({ level, fields, message }) => {
    const { callId: _callId, toolName, ...others } = fields
    const text = `${message} ${inspect(others, { depth: 20, maxStringLength: 20_000 })}`.replaceAll(
      String(toolName),
      '',
    )
    return Object.values(CANARY)
      .filter((canary) => text.includes(canary))
      .map((canary) => `${canary} is in the log, at ${level}: ${text.slice(0, 300)}`)
  })
}
