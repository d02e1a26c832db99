/**
 * What a script here lets the others do with the client it is about, in that client's own way.
 *
 * @typedef {object} Session
 * @property {() => Promise<string[]>} list The names of the tools that the client found.
 * @property {(city: string) => Promise<string>} call Calls `get_weather` and gives the text that a model would read, be it
 *   an answer or a refusal.
 * @property {() => Promise<void>} close Ends the connection, and every process that was started for it.
 */

/**
 * Opens a session with the server that the command line names, lists the tools, calls `get_weather` rightly and wrongly, and
 * prints what came back as one line of JSON. A script is run as `node CLIENT.mjs [OPTION…] -- URL`, or with the command of
 * a server on stdio in the place of the URL. SIGTERM aborts the signal; the session is closed all the same.
 *
 * @param {(target: { url?: string, command: string, args: string[] }, options: string[], signal: AbortSignal) =>
 *   Promise<Session>} open
 */
export async function report(open) {
  const ending = new AbortController()
  process.once('SIGTERM', () => ending.abort(new Error('Ended before it was done')))
  const { options, target } = parse(process.argv.slice(2))

  const session = await open(target, options, ending.signal)
  try {
    const tools = await unlessAborted(session.list(), ending.signal)
    const right = await unlessAborted(session.call('东京'), ending.signal)
    const wrong = await unlessAborted(session.call('Atlantis'), ending.signal)
    console.log(JSON.stringify({ tools, right, wrong }))
  } finally {
    await session.close()
  }
}

/** The text of a result of `tools/call`, as a model reads it. */
export function textOf({ content }) {
  return content.map(({ type, text }) => (type === 'text' ? text : `[${type}]`)).join('\n')
}

function parse(words) {
  const end = words.indexOf('--')
  const [command, ...args] = words.slice(end + 1)
  if (end < 0 || command === undefined) {
    throw new Error('Name the server after "--": its URL, or the command that starts it on stdio')
  }
  const url = URL.canParse(command) ? command : undefined
  return { options: words.slice(0, end), target: { url, command, args } }
}

async function unlessAborted(promise, signal) {
  let refuse
  const aborted = new Promise((_, reject) => {
    refuse = () => reject(signal.reason)
  })
  signal.addEventListener('abort', refuse)
  try {
    signal.throwIfAborted()
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', refuse)
  }
}
