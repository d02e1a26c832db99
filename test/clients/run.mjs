// Drives the weather example with clients that others wrote (matrix.mjs), over HTTP and over stdio: `npm ci` here, then
// `node run.mjs`. Each client says what it saw, and the wire shows which revision of the protocol it spoke.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clients, leftOut } from './matrix.mjs'
import { endAll, start } from './processes.mjs'
import { tapHttp, tapStdio } from './taps.mjs'
import { trial } from './trial.mjs'

const WIDTHS = [38, 10, 11, 7, 7, 7, 7, 7]
const example = ['--import', 'tsx', 'examples/weather/main.ts']

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = await mkdtemp(join(tmpdir(), 'clients-'))

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    interrupted = true
    void endAll()
  })
}

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

console.log()
for (const [name, reason] of Object.entries(leftOut)) console.log(`left out: ${name}: ${reason}`)
for (const failure of failures) console.log(`\n${failure}`)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1

async function runAll() {
  const url = await start(example, await surroundings()).announced(/Serving MCP on (\S+)\n/)
  printRow('client', 'transport', 'era', 'list', 'right', 'wrong', 'wire', 'seconds')
  for (const client of clients) {
    if (interrupted) throw new Error('It was interrupted')
    const overHttp = await surroundings()
    const overStdio = await surroundings()
    const stdio = tapStdio([...example, '--stdio'], join(overStdio.env.HOME, 'requests.jsonl'))
    const [first, second] = await Promise.all([
      trial(client, await tapHttp(url), overHttp),
      trial(client, stdio, overStdio),
    ])
    conclude(first, client, 'http')
    conclude(second, client, 'stdio')
  }
}

function conclude({ name, revisions, found, printed, seconds }, { era }, transport) {
  const cells = ['list', 'right', 'wrong', 'wire'].map((part) => (isRight(found, part) ? 'ok' : 'FAILED'))
  printRow(name, transport, revisions.join(' '), ...cells, seconds.toFixed(1))

  const wrong = Object.entries(found).filter(([, seen]) => seen !== undefined)
  if (wrong.length === 0) passed++
  else {
    const seen = wrong.map(([part, what]) => `  ${part}: ${what}`)
    failures.push([`failed: ${name}, era ${era}, over ${transport}:`, ...seen, printed].join('\n'))
  }
}

function isRight(found, part) {
  return part in found && found[part] === undefined
}

/** The clients keep settings at home: each gets a home of its own, and knows nothing else of this machine. */
async function surroundings() {
  const home = await mkdtemp(join(scratch, 'home-'))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: scratch,
    NO_COLOR: '1',
    PORT: '0',
    LOG_LEVEL: 'error',
  }
  return { cwd: root, env }
}

function printRow(...cells) {
  const line = cells.map((cell, index) => cell.padEnd(WIDTHS[index])).join(' ')
  console.log(line.trimEnd())
}
