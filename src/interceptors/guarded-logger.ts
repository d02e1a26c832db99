import { callForeign } from '../registry/foreign-code.js'
import type { Logger, LogMethod } from './logger.js'
import { redact } from './redaction.js'

/** The same logger, told nothing secret: each field is redacted. What goes wrong in it hurts nobody. */
export function guardedLogger(logger: Logger): Logger {
  const { debug, info, warn, error } = unfailing(logger)
  const redacted =
    (log: LogMethod): LogMethod =>
    (fields, message) =>
      log(redact(fields) as Record<string, unknown>, message) // of an object it is an object
  return { debug: redacted(debug), info: redacted(info), warn: redacted(warn), error: redacted(error) }
}

/** The same logger, which never throws: a call is worth more than its log line. */
export function unfailing(logger: Logger): Logger {
  const log =
    (level: keyof Logger): LogMethod =>
    (fields, message) =>
      // Where a logger fails, there is no other one to tell it to.
      callForeign(() => logger[level](fields, message))
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}
