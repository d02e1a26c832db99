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
  const onError = (error: Error) => void output.destroy(error)
  stdout.on('error', onError)
  return {
    output,
    [Symbol.dispose]: () => {
      stdout.off('error', onError)
      stdout.write = original
    },
  }
}
