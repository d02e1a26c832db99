import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

/**
 * What stands between a client and the server, and sees which revision of the protocol is spoken, since clients do not say.
 *
 * @typedef {object} Tap
 * @property {string[]} target What the client is given in the place of the server: a URL, or a command.
 * @property {() => Promise<{ method: string, version?: string }[]>} requests The requests that passed so far.
 * @property {() => void} close
 */

/**
 * A proxy before the server at `url`. It reads the revision from the header MCP-Protocol-Version.
 *
 * @returns {Promise<Tap>}
 */
export async function tapHttp(url) {
  const upstream = new URL(url)
  const requests = []
  const server = createServer((req, res) => {
    forward(req, res, { upstream, requests }).catch(() => res.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    target: [new URL(upstream.pathname, `http://127.0.0.1:${server.address().port}`).href],
    requests: async () => requests,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * A process before the server that node starts with `args`. It writes what passes to `file`.
 *
 * @returns {Tap}
 */
export function tapStdio(args, file) {
  const tap = fileURLToPath(new URL('stdio-tap.mjs', import.meta.url))
  return {
    target: [process.execPath, tap, file, ...args],
    requests: () => readLines(file),
    close: () => undefined, // it ends with the server, when the client lets go of it
  }
}

async function forward(req, res, { upstream, requests }) {
  const body = await buffer(req)
  const { method } = body.length > 0 ? JSON.parse(body) : {}
  if (method !== undefined) requests.push({ method, version: req.headers['mcp-protocol-version'] })

  const passed = request(upstream, { method: req.method, headers: { ...req.headers, host: upstream.host } })
  res.once('close', () => passed.destroy()) // a client ends a stream by hanging up
  passed.end(body)
  const [answer] = await once(passed, 'response')
  res.writeHead(answer.statusCode, answer.headers).flushHeaders()
  await pipeline(answer, res)
}

async function readLines(file) {
  if (!existsSync(file)) return []
  const text = await readFile(file, 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
