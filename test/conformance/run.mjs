// Runs the official conformance suite against the fixture (main.ts), for the requirements of both eras, on one endpoint:
// `node test/conformance/run.mjs`. The last line is the sum of the scenarios, `N passed, N failed`.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endAll, start } from '../clients/processes.mjs'
import { excused, leftOut } from './exceptions.mjs'
import { runScenarios } from './suite.mjs'
import { stale, verdict } from './verdict.mjs'

const REVISIONS = ['2025-11-25', '2026-07-28']
const WIDTHS = [46, 7, 7, 7, 7, 8]

const scratch = await mkdtemp(join(tmpdir(), 'conformance-'))
const surroundings = {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: { PATH: process.env.PATH, HOME: scratch, TMPDIR: scratch, NO_COLOR: '1', PORT: '0' },
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void endAll())

const failures = []
let passed = 0
try {
  await runAll()
} catch (error) {
  failures.push(`The run broke off: ${error.stack}`)
} finally {
  await endAll()
  await rm(scratch, { recursive: true, force: true })
}

for (const failure of failures) console.log(`\n${failure}`)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1

async function runAll() {
  const fixture = start(['--import', 'tsx', 'test/conformance/main.ts'], surroundings)
  const url = await fixture.announced(/Serving MCP on (\S+)\n/)
  const verdicts = []
  for (const revision of REVISIONS) {
    const directory = join(scratch, revision)
    await mkdir(directory)
    const scenarios = await runScenarios(revision, { url, directory, surroundings })
    const found = scenarios.map(verdict)
    print(revision, found)
    verdicts.push(...found)
  }
  printExceptions(verdicts)
}

function print(revision, verdicts) {
  console.log(`\nRequirements of ${revision}`)
  printRow('scenario', 'scored', 'passed', 'failed', 'warned', '')
  for (const { name, scored, faults, isLeftOut, ...counts } of verdicts) {
    const outcome = isLeftOut ? 'left out' : faults.length === 0 ? 'ok' : 'FAILED'
    printRow(name, scored ? 'yes' : 'no', counts.passed, counts.failed, counts.warned, outcome)
    if (isLeftOut) continue
    if (faults.length === 0) passed++
    else failures.push([`failed: ${name}, at ${revision}:`, ...faults].join('\n  '))
  }
  const judged = verdicts.filter(({ isLeftOut }) => !isLeftOut)
  const sum = (part) => judged.reduce((total, counts) => total + counts[part], 0)
  const checks = `${sum('passed')} checks passed, ${sum('failed')} failed, ${sum('warned')} warned`
  console.log(`${revision}: ${judged.length} scenarios, ${checks}`)
}

function printExceptions(verdicts) {
  console.log()
  for (const { name, isLeftOut } of verdicts) {
    if (isLeftOut) console.log(`left out: ${name}: ${leftOut[name]}`)
  }
  for (const { name, excused: ids } of verdicts) {
    for (const id of ids) console.log(`warned: ${name}: ${id}: ${excused[id]}`)
  }
  for (const line of stale(verdicts)) console.log(`out of date: ${line}: see test/conformance/exceptions.mjs`)
}

function printRow(...cells) {
  const line = cells.map((cell, index) => String(cell).padEnd(WIDTHS[index])).join(' ')
  console.log(line.trimEnd())
}
