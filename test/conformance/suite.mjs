import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../clients/processes.mjs'

const TIME_LIMIT_MS = 120_000
const SHIM = new URL('node20-shim.mjs', import.meta.url).href
const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/**
 * Runs the scenarios for servers of a requirement set, such as `2026-07-28`, one after the other. Gives each scenario of
 * the set with its checks; one that gave no result has none.
 */
export async function runScenarios(revision, { url, directory, surroundings }) {
  const required = scenariosIn(await run(['list', '--requirements', revision], surroundings))
  const printed = await run(
    ['server', '--url', url, '--requirements', revision, '-o', directory],
    surroundings,
  )
  const results = await resultsIn(directory)
  if (results.size === 0) throw new Error(`The suite gave no results:\n${printed}`)
  const unlisted = [...results.keys()].filter((result) => !required.some(({ name }) => name === result))
  if (unlisted.length > 0)
    throw new Error(`The suite's list of scenarios does not have ${unlisted.join(', ')}`)
  return required.map((scenario) => ({ ...scenario, checks: results.get(scenario.name) ?? [] }))
}

/** What the suite prints, until it ends. Its exit code says no more than the results do. */
async function run(args, surroundings) {
  const suite = start(['--import', SHIM, SUITE, ...args], surroundings)
  let isOverdue = false
  const limit = setTimeout(() => {
    isOverdue = true
    void suite.end()
  }, TIME_LIMIT_MS)
  await suite.ended
  clearTimeout(limit)
  await suite.end()
  const printed = suite.printed.stdout + suite.printed.stderr
  if (isOverdue) throw new Error(`The suite did not end within ${TIME_LIMIT_MS / 1000} s:\n${printed}`)
  return printed
}

/** Of the printed list of a requirement set: first what is scored, by side, then by reason what is not. */
function scenariosIn(list) {
  const [scored, unscored = ''] = list.split(/^Run and reported, but never scored:$/m)
  const [, ofServers = ''] = /^Server scenarios.*\n((?: .*\n)+)/m.exec(scored) ?? []
  const names = (section, pattern) => Array.from(section.matchAll(pattern), ([, name]) => name)
  return [
    ...names(ofServers, /^ +- (\S+)$/gm).map((name) => ({ name, scored: true })),
    ...names(unscored, /^ +- (\S+) \[server\]$/gm).map((name) => ({ name, scored: false })),
  ]
}

/** The checks by scenario: each has a folder `server-NAME-TIME`. */
async function resultsIn(directory) {
  const results = new Map()
  for (const folder of await readdir(directory)) {
    const [, name] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? []
    if (name === undefined) throw new Error(`The suite wrote ${folder}, which is no result of a scenario`)
    results.set(name, JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8')))
  }
  return results
}
