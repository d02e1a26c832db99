import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { compilerOptions } from './type-errors.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const lastLine = 'readme: reached the last line'
const patience = { untilLastLineMs: 30_000, forLateErrorsMs: 250, untilEndMs: 10_000 }

/**
 * Runs one module in a node of its own, with `PORT=0` and an empty stdin, and gives what it printed.
 *
 * The module must come to its last line. What then still runs (a server) is asked to end with SIGTERM, and must.
 * Rejects with the error output when the module throws, now or a little later, hangs, or does not end.
 */
export async function runCode(code: string, limits: Partial<typeof patience> = {}): Promise<string> {
  const { untilLastLineMs, forLateErrorsMs, untilEndMs } = { ...patience, ...limits }
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-'], {
    cwd: root,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    // The declarations know the three pipes only without a fourth channel.
  }) as ChildProcessWithoutNullStreams
  // The channel may still hold the last line when the process is gone.
  const closed = Promise.all([once(child, 'close'), once(child, 'disconnect')]).then(([exit]) => exit)
  try {
    const printed = Promise.all([text(child.stdout), text(child.stderr)])
    // A child that dies before it has read its code is told by its exit.
    child.stdin.on('error', () => {})
    child.stdin.end(`${asJavaScript(code)}\nprocess.send(${JSON.stringify(lastLine)})`)
    const reached = await within(untilLastLineMs, Promise.race([lastLineOf(child), closed.then(() => false)]))
    if (reached && !(await within(forLateErrorsMs, closed))) child.kill('SIGTERM')
    const ended = await within(reached === undefined ? 0 : untilEndMs, closed)
    if (!ended) child.kill('SIGKILL')
    const [stdout, stderr] = await printed
    const [exitCode, signal] = ended ?? []
    if (reached === undefined)
      throw new Error(`Did not reach its last line in ${untilLastLineMs} ms.\n${stderr}`)
    if (!ended) throw new Error(`Did not end within ${untilEndMs} ms of SIGTERM.\n${stderr}`)
    if (!reached || (exitCode !== 0 && signal !== 'SIGTERM'))
      throw new Error(`Ended with ${exitCode ?? signal}.\n${stderr}`)
    return stdout
  } finally {
    child.kill('SIGKILL')
  }
}

function asJavaScript(code: string): string {
  return ts.transpileModule(code, { compilerOptions: { ...compilerOptions, module: ts.ModuleKind.ESNext } })
    .outputText
}

function lastLineOf(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (message === lastLine) resolve(true)
    })
  })
}

/** The value, or undefined when it takes longer. */
async function within<Value>(ms: number, value: Promise<Value>): Promise<Value | undefined> {
  const stop = new AbortController()
  try {
    return await Promise.race([value, wait(ms, undefined, { signal: stop.signal })])
  } finally {
    stop.abort()
  }
}
