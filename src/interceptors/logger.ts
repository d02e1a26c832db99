import type { ServiceIdentifier } from 'inversify'

/** One log line: fields first, then the sentence, as pino has it. */
export type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** A pino-shaped logger: a `pino()` fits, and so does any object with these four. */
export interface Logger {
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
}

/** Bind a logger under this to replace the one that writes JSON lines to stderr. */
export const Logger = Symbol.for('toolwire.Logger') as ServiceIdentifier<Logger>
