import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { start } from './processes.mjs'
import { revisions, verdict } from './verdict.mjs'

const LIMIT_MS = 60_000

/**
 * Runs the script of a client against what the tap stands before, and judges it: `found` says what of it was wrong, as
 * `verdict` does. A client that takes too long is ended. Closes the tap.
 */
export async function trial(client, tap, surroundings) {
  const began = performance.now()
  try {
    const name = `${client.name} ${await versionOf(client.name)}`
    const { stdout, stderr, fault } = await runScript(client, tap.target, surroundings)
    const requests = await tap.requests()
    return {
      name,
      revisions: revisions(requests),
      found: fault ?? judge(client, stdout, requests),
      printed: `${stdout}${stderr}`,
      seconds: (performance.now() - began) / 1000,
    }
  } finally {
    tap.close()
  }
}

async function runScript({ script, options = [] }, target, surroundings) {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const run = start([file, ...options, '--', ...target], surroundings)
  let late = false
  const limit = setTimeout(() => {
    late = true
    void run.end()
  }, LIMIT_MS)
  const code = await run.ended
  clearTimeout(limit)
  await run.end()
  if (late) return { ...run.printed, fault: { ended: `after ${LIMIT_MS} ms, unfinished` } }
  return code === 0 ? run.printed : { ...run.printed, fault: { ended: `with exit code ${code}` } }
}

function judge(client, stdout, requests) {
  try {
    return verdict(client, JSON.parse(stdout), requests)
  } catch (error) {
    return { told: `what cannot be read (${error.message})` }
  }
}

async function versionOf(name) {
  return JSON.parse(await readFile(new URL(`node_modules/${name}/package.json`, import.meta.url))).version
}
