import type { Logger } from '../../src/interceptors/logger.js'

export type LogLine = readonly [level: string, fields: Readonly<Record<string, unknown>>, message: string]

/** A logger that keeps what it is told. */
export function recordingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const log = (level: string) => (fields: LogLine[1], message: string) =>
    void lines.push([level, fields, message])
  return { lines, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}
