import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/**
 * Runs a command of an installed package to its end, and gives what it printed to stdout. An exit code other than 0 and
 * those in `exitCodes` rejects with everything it printed.
 */
export async function runCommand(name, args, { signal, exitCodes = [] } = {}) {
  const file = fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'], signal })
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (code === 0 || exitCodes.includes(code)) return stdout
  throw new Error(`${name} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
}
