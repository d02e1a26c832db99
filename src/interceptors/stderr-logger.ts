import type { Logger } from './logger.js'
import { type RedactOptions, redactor } from './redaction.js'

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, silent: Number.POSITIVE_INFINITY }

export interface StderrLoggerOptions {
  /** The least severe level that is written. Default `info`. */
  readonly level?: keyof typeof LEVELS
  /** What is secret beside what `redact` knows; paths start at the fields. */
  readonly redact?: RedactOptions
}

/**
 * Writes JSON lines in pino's shape, redacted, to stderr: stdout belongs to the protocol. Never throws, and a closed
 * stderr does not end the process: a log is not worth a call.
 */
export function stderrLogger({ level = 'info', redact: options }: StderrLoggerOptions = {}): Logger {
  if (!Object.hasOwn(LEVELS, level)) {
    throw new TypeError(
      `level must be one of ${Object.keys(LEVELS).join(', ')} (got ${JSON.stringify(level)})`,
    )
  }
  const redacted = redactor(options)
  const log =
    (name: keyof typeof LEVELS): Logger['info'] =>
    (fields, message) => {
      if (LEVELS[name] < LEVELS[level]) return
      // Set before the fields for the order that people read, and after them to win over a field of that name.
      const own = { level: LEVELS[name], time: Date.now() }
      write(JSON.stringify({ ...own, ...asObject(redacted(fields)), ...own, msg: redacted(message) }))
    }
  return Object.freeze({ debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') })
}

/** Fields that cannot be read at all have become a text. */
function asObject(fields: unknown): object {
  return typeof fields === 'object' && fields !== null ? fields : { fields }
}

function write(line: string): void {
  try {
    // A pipe that nobody reads (EPIPE) is an event rather than an exception, and without a listener fatal.
    if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore)
    process.stderr.write(`${line}\n`)
  } catch {
    // There is nowhere left to report it.
  }
}

function ignore(): void {}
