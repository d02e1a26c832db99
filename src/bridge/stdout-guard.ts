import { Writable } from 'node:stream'

/** The standard output for one user alone. */
export interface ClaimedStdout extends Disposable {
  readonly output: Writable
}

/**
 * Keeps stdout for the protocol: what anything else prints there, such as a `console.log` in a tool, goes to stderr. Until
 * it is disposed of.
 */
export function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process
  const original = stdout.write
  stdout.write = stderr.write.bind(stderr)
  const output = new Writable({
    write: (chunk, encoding, done) => void original.call(stdout, chunk, encoding, done),
    decodeStrings: false,
  })
  // Whoever writes hears of a failure in the callback; without a listener the event would end the process.
  output.on('error', () => undefined)
  const onError = (error: Error) => void output.destroy(error)
  stdout.on('error', onError)
  return {
    output,
    [Symbol.dispose]: () => {
      stdout.write = original
      // A broken pipe says so once more after the callback of the write that has failed.
      if (stdout.errored === null) stdout.off('error', onError)
    },
  }
}
