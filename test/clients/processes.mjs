import { spawn } from 'node:child_process'
import { once } from 'node:events'

const GRACE_MS = 20_000
const started = new Set()

/**
 * Starts node with `args` and collects what it prints. `ended` gives its exit code, `null` after a signal. `end` asks it to
 * end, and kills what is left of it and its children then.
 */
export function start(args, { cwd, env }) {
  // A process group of its own, so that its children can be ended with it.
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      printed[name] += text
    })
  }
  const ended = once(child, 'close').then(([code]) => code)
  const finish = async () => {
    child.kill('SIGTERM')
    const overdue = setTimeout(() => killGroup(child.pid), GRACE_MS)
    await ended
    clearTimeout(overdue)
    killGroup(child.pid)
    started.delete(run)
  }
  let finished
  const run = {
    printed,
    ended,
    end() {
      finished ??= finish()
      return finished
    },
    /** What the group of `pattern` matches in what is printed to stdout. */
    announced(pattern) {
      return new Promise((resolve, reject) => {
        child.stdout.on('data', () => {
          const [, found] = pattern.exec(printed.stdout) ?? []
          if (found !== undefined) resolve(found)
        })
        child.once('close', () => reject(new Error(`Ended early:\n${printed.stdout}${printed.stderr}`)))
      })
    },
  }
  started.add(run)
  return run
}

/** Ends every process that was started and is not ended yet. */
export async function endAll() {
  await Promise.all([...started].map((run) => run.end()))
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
