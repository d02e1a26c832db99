import { createRequire } from 'node:module'
import type { Format } from 'ajv'
import type { ValidationBudget } from './schema-budget.js'

type Formats = Readonly<Record<string, Format>>
type TextTest = (text: string) => boolean

/** Characters of the longest text that `url` and `regex` take: the one is quadratic, the other compiles it. */
const MAX_COSTLY_LENGTH = 2_048
/** Characters that the slowest of the others takes in the time of one step. */
const CHARACTERS_PER_STEP = 2

const require = createRequire(import.meta.url)
let formats: Formats | undefined

/**
 * The formats that are validated: those of ajv-formats, in full, but for a few that take what is none (an offset without
 * minutes, a UUID that is a URN) or refuse what is one. Loaded at first need.
 */
export function validatedFormats(): Formats {
  formats ??= loadFormats()
  return formats
}

/** The same, each of which takes the reading of its text from the budget. */
export function budgetedFormats(budget: ValidationBudget): Formats {
  return Object.fromEntries(
    Object.entries(validatedFormats()).map(([name, format]) => {
      const test = textTest(format)
      const budgeted: TextTest = (text) => {
        budget.spend(1 + Math.floor(text.length / CHARACTERS_PER_STEP))
        return test?.(text) === true
      }
      return [name, test === undefined ? format : budgeted]
    }),
  )
}

/** Undefined for a format of numbers, and for one that takes every text. */
function textTest(format: unknown): TextTest | undefined {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === 'function') return format as TextTest // those of ajv-formats are all synchronous
  if (typeof format !== 'object' || format === null || 'type' in format) return undefined
  return textTest((format as { readonly validate?: unknown }).validate)
}

function loadFormats(): Formats {
  const { fullFormats }: typeof import('ajv-formats/dist/formats.js') = require('ajv-formats/dist/formats.js')
  const bounded = (format: unknown) => (text: string) =>
    text.length <= MAX_COSTLY_LENGTH && textTest(format)?.(text) === true
  const isDate = textTest(fullFormats.date)
  return {
    ...fullFormats,
    url: bounded(fullFormats.url),
    regex: bounded(fullFormats.regex),
    time: isTime,
    'date-time': (text) => {
      const [date = '', time = '', more] = text.split(/[t ]/i)
      return more === undefined && isDate?.(date) === true && isTime(time)
    },
    uuid: UUID,
    'uri-template': URI_TEMPLATE,
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
/** RFC 6570, section 2. */
const URI_TEMPLATE = uriTemplate()

function uriTemplate(): RegExp {
  const letter = '(?:[a-z0-9_]|%[0-9a-f]{2})'
  const variable = `${letter}(?:\\.?${letter})*(?::[1-9][0-9]{0,3}|\\*)?`
  const literal = '[^\\x00-\\x20"<>%\\\\^`{|}\\x7f]|%[0-9a-f]{2}'
  return new RegExp(`^(?:${literal}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})*$`, 'i')
}

const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i
const MINUTES_A_DAY = 24 * 60

/** RFC 3339, section 5.6: a leap second is the last one of a day in UTC. */
function isTime(text: string): boolean {
  const [matched, hour, minute, second, sign, offsetHour = 0, offsetMinute = 0] = TIME.exec(text) ?? []
  if (matched === undefined) return false
  if (Number(hour) > 23 || Number(minute) > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59)
    return false
  if (Number(second) < 60) return true
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1)
  const utc = (Number(hour) * 60 + Number(minute) - offset + MINUTES_A_DAY) % MINUTES_A_DAY
  return Number(second) === 60 && utc === MINUTES_A_DAY - 1
}
