import { type ArgumentSteps, argumentStepFaults } from '../registry/argument-steps.js'
import { describe } from '../registry/json-value.js'
import { interceptorName, type ToolInterceptor } from '../registry/tool-interceptor.js'
import type { VisibilityRule } from './catalog.js'
import { type TaskOptions, type TaskSettings, taskSettings } from './tasks/task-settings.js'

/** Marks an interceptor as mandatory: its name, or its class. */
export type MandatoryInterceptor = string | (abstract new (...args: never[]) => ToolInterceptor)

/**
 * How a runtime behaves. A value given here wins; then the environment variable named beside it; then the default.
 */
export interface RuntimeOptions {
  readonly rateLimit?: {
    /** Calls a minute for each caller and definition. `TOOLWIRE_RATELIMIT_DEFAULT`, default 60. */
    readonly defaultPerMinute?: number
  }
  /** The deadline of a call whose definition names none, in milliseconds. `TOOLWIRE_TIMEOUT_MS`, default 30 000. */
  readonly defaultTimeoutMs?: number
  /** How long an answer to `ctx.ask` may take, in milliseconds. `TOOLWIRE_ASK_TIMEOUT_MS`, default 300 000. */
  readonly askTimeoutMs?: number
  /** The largest result, in characters of JSON, roughly. `TOOLWIRE_RESULT_MAX_SIZE`, default 10 000 000. */
  readonly maxResultSize?: number
  /**
   * How long a provider may take to bring its definitions, in milliseconds.
   * `TOOLWIRE_PROVIDE_TIMEOUT_MS`, default 30 000.
   */
  readonly provideTimeoutMs?: number
  /** How long `close()` lets running calls go on, in milliseconds. `TOOLWIRE_DRAIN_MS`, default 10 000. */
  readonly drainMs?: number
  /** Which tool names are accepted; see `ToolRegistry`. `TOOLWIRE_NAMES`, default `portable`. */
  readonly names?: 'portable' | 'mcp'
  /**
   * A definition that would run without one of these is refused. `TOOLWIRE_MANDATORY` (names, separated by commas), default
   * none.
   */
  readonly mandatoryInterceptors?: readonly MandatoryInterceptor[]
  /**
   * Who may see which definition, beside what each says of itself (`metadata.visibility`): what it does not return `true`
   * for does not exist for that caller. See `visibilityByTag`. Default: everybody sees all.
   */
  readonly visibility?: VisibilityRule
  /** How tasks are kept, and how many. */
  readonly tasks?: TaskOptions
  /**
   * What becomes of the steps that the arguments of tools pass, for every tool that does not say so itself
   * (`.argumentSteps(…)`): `{ coercion: false }`. Default: all are built in.
   */
  readonly arguments?: ArgumentSteps
  /** From which level the default logger writes. `TOOLWIRE_LOG_LEVEL`, default `info`. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** {@link RuntimeOptions} with everything decided. */
export type RuntimeSettings = Required<Omit<RuntimeOptions, 'rateLimit' | 'tasks' | 'visibility'>> & {
  readonly visibility: VisibilityRule | undefined
  readonly rateLimit: { readonly defaultPerMinute: number }
  readonly tasks: TaskSettings
}

/** Throws a `RangeError` that names the option or the variable whose value makes no sense. */
export function runtimeSettings(
  options: RuntimeOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): RuntimeSettings {
  return {
    rateLimit: {
      defaultPerMinute: number(
        'rateLimit.defaultPerMinute',
        options.rateLimit?.defaultPerMinute,
        'TOOLWIRE_RATELIMIT_DEFAULT',
        60,
        0,
      ),
    },
    defaultTimeoutMs: number('defaultTimeoutMs', options.defaultTimeoutMs, 'TOOLWIRE_TIMEOUT_MS', 30_000, 1),
    askTimeoutMs: number('askTimeoutMs', options.askTimeoutMs, 'TOOLWIRE_ASK_TIMEOUT_MS', 300_000, 1),
    visibility: visibilityRule(options.visibility),
    arguments: argumentSteps(options.arguments),
    maxResultSize: number('maxResultSize', options.maxResultSize, 'TOOLWIRE_RESULT_MAX_SIZE', 10_000_000, 1),
    provideTimeoutMs: number(
      'provideTimeoutMs',
      options.provideTimeoutMs,
      'TOOLWIRE_PROVIDE_TIMEOUT_MS',
      30_000,
      1,
    ),
    tasks: taskSettings(options.tasks, number),
    drainMs: number('drainMs', options.drainMs, 'TOOLWIRE_DRAIN_MS', 10_000, 0),
    names: choice('names', options.names, 'TOOLWIRE_NAMES', ['portable', 'mcp']),
    logLevel: choice('logLevel', options.logLevel, 'TOOLWIRE_LOG_LEVEL', [
      'info',
      'debug',
      'warn',
      'error',
      'silent',
    ]),
    mandatoryInterceptors: mandatory(
      options.mandatoryInterceptors ?? env.TOOLWIRE_MANDATORY?.split(',') ?? [],
    ),
  }

  function number(
    option: string,
    given: number | undefined,
    variable: string,
    fallback: number,
    min: number,
  ): number {
    const fromEnv = env[variable]
    const value = given ?? (fromEnv === undefined || fromEnv.trim() === '' ? fallback : Number(fromEnv))
    if (Number.isInteger(value) && value >= min) return value
    const name = given === undefined ? variable : option
    throw new RangeError(
      `${name} must be a whole number from ${min} (got ${given ?? JSON.stringify(fromEnv)})`,
    )
  }

  /** The first of `allowed` is the default. */
  function choice<T extends string>(
    option: string,
    given: T | undefined,
    variable: string,
    allowed: readonly [T, ...T[]],
  ): T {
    const value = given ?? (env[variable] || allowed[0])
    const found = allowed.find((one) => one === value)
    if (found !== undefined) return found
    throw new RangeError(
      `${given === undefined ? variable : option} must be one of ${allowed.join(', ')} (got ${value})`,
    )
  }
}

function visibilityRule(given: unknown): VisibilityRule | undefined {
  if (given === undefined || typeof given === 'function') return given as VisibilityRule | undefined
  throw new RangeError(`visibility must be a function of target and principal (got ${describe(given)})`)
}

function argumentSteps(given: ArgumentSteps = {}): ArgumentSteps {
  const [fault] = argumentStepFaults(given, 'arguments')
  if (fault !== undefined) throw new RangeError(`${fault.path.replaceAll('/', '.')} ${fault.message}`)
  return Object.freeze({ ...given })
}

function mandatory(given: readonly MandatoryInterceptor[]): readonly MandatoryInterceptor[] {
  if (!Array.isArray(given)) {
    throw new RangeError(`mandatoryInterceptors must be a list of names or classes (got ${describe(given)})`)
  }
  const trimmed = given.map((one) => (typeof one === 'string' ? one.trim() : one))
  return Object.freeze(trimmed.filter((one) => one !== ''))
}

/** Whether `interceptor` is what `mandatory` asks for. */
export function satisfies(interceptor: ToolInterceptor, mandatory: MandatoryInterceptor): boolean {
  return typeof mandatory === 'string'
    ? interceptorName(interceptor) === mandatory
    : interceptor instanceof mandatory
}
