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

/** The formats that are validated: those of ajv-formats, in full. Loaded at first need. */
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
  return { ...fullFormats, url: bounded(fullFormats.url), regex: bounded(fullFormats.regex) }
}
