// Prints what failed in a JSON report of vitest, and as the last line `N passed, N failed`.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [path = ''] = process.argv.slice(2)
const files = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : undefined

const tests = (files ?? []).flatMap(({ name, assertionResults }) =>
  assertionResults.map(({ fullName, status }) => ({ name, fullName, status })),
)
const passed = tests.filter(({ status }) => status === 'passed')
const failed = tests.filter(({ status }) => status === 'failed')
const neither = tests.filter(({ status }) => status !== 'passed' && status !== 'failed')
// A file that could not be loaded, or failed outside its tests, counts as one failure.
const broken = (files ?? []).filter(
  ({ status, name }) => status === 'failed' && !failed.some((test) => test.name === name),
)

for (const { name, fullName, status } of [...neither, ...failed]) {
  console.log(`${status}: ${relative('', name)}: ${fullName}`)
}
for (const { name, message } of broken) console.log(`failed: ${relative('', name)}: ${message}`)
if (!files) console.log('failed: the tests gave no report')

const failures = failed.length + broken.length + (files ? 0 : 1)
console.log(`${passed.length} passed, ${failures} failed`)
if (failures > 0 || passed.length === 0) process.exitCode = 1
