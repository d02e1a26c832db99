import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const APP = fileURLToPath(new URL('./stdio-app.ts', import.meta.url))

export interface AppRun {
  /** What is written to stdin, a line each, before it is closed; without it stdin is /dev/null. */
  readonly lines?: readonly unknown[]
  readonly options?: readonly string[]
}

/** Runs `stdio-app` to its end. */
export async function runApp({ lines, options = [] }: AppRun = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', APP, ...options], {
    stdio: [lines === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  child.stdin?.end((lines ?? []).map((line) => `${JSON.stringify(line)}\n`).join(''))
  const [exitCode, signal] = await once(child, 'close')
  return { out: out.split('\n').filter((line) => line !== ''), err, exitCode, signal }
}
