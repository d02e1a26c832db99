import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { StdioTransport } from '../../../src/bridge/stdio-transport.js'
import { messageProblems } from './answer-oracle.js'
import { isMessage, type Message as JsonRpc, parsed } from './message-oracle.js'
import { message } from './messages.js'
import { isObject } from './method-oracle.js'
import { BOUND_MS, type FuzzTarget } from './target.js'

const JUNK = [
  '',
  ' ',
  '\t',
  '\u0000',
  '{',
  '[]',
  'null',
  '5',
  '"text"',
  '{}',
  '\ufeff',
  '\ufffd',
  'x'.repeat(5_000),
]

const line = fc.oneof(
  { weight: 5, arbitrary: message.map(({ text }) => text.replaceAll('\n', ' ')) },
  { weight: 1, arbitrary: fc.constantFrom(...JUNK) },
)

const script = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 8 }),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  /** How large the pieces are in which it is written. */
  piece: fc.constantFrom(1_000_000, 1_000, 7),
})

/** Lines of any kind on stdin: each request is answered once, each line that is no message is refused, and then it ends. */
export function stdioProperty(target: FuzzTarget) {
  return fc.asyncProperty(script, async ({ lines, lineEnd, piece }) => {
    const { written, isEnded } = await run(
      target,
      Buffer.from(lines.map((one) => one + lineEnd).join('')),
      piece,
    )
    const problems = [...scriptProblems(lines, written), ...target.leaks()]
    if (!isEnded) problems.push('it does not end')
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
}

async function run({ bridge, logger }: FuzzTarget, bytes: Buffer, piece: number) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  // Longer than the bound: a request that is not answered holds up the end.
  const transport = new StdioTransport({ input, output, drainMs: 10 * BOUND_MS, logger })
  await bridge.connect(transport, { address: 'stdio' })
  for (let at = 0; at < bytes.length; at += piece) input.write(bytes.subarray(at, at + piece))
  input.end()
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), BOUND_MS)
  })
  const isEnded = await Promise.race([transport.closed.then(() => true), tooLong])
  clearTimeout(timer)
  await transport.close()
  return { written, isEnded }
}

function scriptProblems(lines: readonly string[], written: string): string[] {
  const sent = lines.map((text) => parsed(text.replace(/^\ufeff/, '')))
  const requests = sent.filter(
    (value): value is JsonRpc => isMessage(value) && value.method !== undefined && value.id !== undefined,
  )
  const refused = lines.filter(
    (text, index) => text.replace(/^\ufeff/, '').trim() !== '' && isRefused(sent[index]),
  ).length
  const answers = written
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => parsed(text) as Readonly<Record<string, unknown>>)
    .filter(({ method }) => method === undefined)
  const problems = answers.flatMap((answer) => messageProblems(answer, answer.id))
  const nameless = answers.filter(({ id }) => id === null).length
  const distinct = new Set(requests.map(({ id }) => key(id)))
  // Under the id of one that is still running, a second request is refused namelessly.
  const repeated = requests.length - distinct.size
  if (nameless < refused || nameless > refused + repeated) {
    problems.push(`${nameless} lines are refused, of ${refused} that are none`)
  }
  const answered = answers.filter(({ id }) => id !== null).map(({ id }) => key(id))
  for (const id of distinct) {
    const asked = requests.filter((request) => key(request.id) === id)
    const count = answered.filter((other) => other === id).length
    const mayLack = asked.some(({ method }) => method === 'subscriptions/listen') || isCancelled(sent, id)
    if ((count === 0 && !mayLack) || count > asked.length)
      problems.push(`${count} answers to ${asked.length} requests under ${id}`)
  }
  for (const id of answered)
    if (!distinct.has(id)) problems.push(`an answer under ${id}, which nobody asked for`)
  return problems
}

/** What may be an answer is never refused, or both sides would go on refusing. */
function isRefused(value: unknown): boolean {
  if (isMessage(value)) return false
  return !(isObject(value) && ('result' in value || 'error' in value))
}

function isCancelled(sent: readonly unknown[], id: string): boolean {
  return sent.some(
    (value) =>
      isMessage(value) && value.method === 'notifications/cancelled' && key(value.params?.requestId) === id,
  )
}

/** -0 goes onto the wire as 0. */
function key(id: unknown): string {
  return JSON.stringify(id) ?? 'none'
}
