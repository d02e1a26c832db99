import type { Logger } from '../../src/interceptors/logger.js'

export interface LogLine {
  readonly level: keyof Logger
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A logger that keeps what it is told. */
export function recordingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const log = (level: LogLine['level']) => (fields: LogLine['fields'], message: string) =>
    void lines.push({ level, fields, message })
  return { lines, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}
