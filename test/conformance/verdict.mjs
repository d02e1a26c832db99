import { excused, leftOut } from './exceptions.mjs'

/** Passes for every scenario in which nothing broke the wire format, whatever came of the rest. */
const WIRE_FORMAT = 'wire-schema-valid'

/**
 * Judges what the suite found in one scenario. Stricter than the suite, for which a scenario passes that was skipped, or
 * has given nothing but warnings: `faults` lists every check that did not succeed.
 */
export function verdict({ name, scored, checks }) {
  const isExcused = ({ id, status }) => status === 'WARNING' && Object.hasOwn(excused, id)
  const passed = checks.filter(({ status }) => status === 'SUCCESS')
  const faulty = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
  const isProven = passed.some(({ id }) => id !== WIRE_FORMAT) || faulty.some(isExcused)
  const faults = [
    ...faulty.filter((check) => !isExcused(check)).map(told),
    ...(isProven ? [] : ['no check of it has passed']),
  ]
  return {
    name,
    scored,
    passed: passed.length,
    failed: faulty.filter(({ status }) => status === 'FAILURE').length,
    warned: faulty.filter(({ status }) => status === 'WARNING').length,
    excused: faulty.filter(isExcused).map(({ id }) => id),
    isLeftOut: !scored && Object.hasOwn(leftOut, name),
    faults,
  }
}

/** What the lists of exceptions still name although nothing of the sort was found. */
export function stale(verdicts) {
  const passing = verdicts.filter(({ isLeftOut, faults }) => isLeftOut && faults.length === 0)
  const names = new Set(verdicts.map(({ name }) => name))
  const used = new Set(verdicts.flatMap((found) => found.excused))
  return [
    ...passing.map(({ name }) => `${name} is left out, and passes`),
    ...Object.keys(leftOut)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is left out, and does not exist`),
    ...Object.keys(excused)
      .filter((id) => !used.has(id))
      .map((id) => `${id} is excused, and gives no warning`),
  ]
}

function told({ id, status, description, errorMessage }) {
  return `${status} ${id}: ${errorMessage ?? description}`
}
