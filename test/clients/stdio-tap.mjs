// `node stdio-tap.mjs FILE ARGUMENT…` starts node with the arguments, as a server on stdio, and passes everything on. It adds a
// line of JSON to FILE for each request and notification of the client: `{ method, version }`.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file, ...args] = process.argv.slice(2)
const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
process.once('SIGTERM', () => server.kill('SIGTERM'))
// Either side may go while the other still writes: that ends this process by itself.
for (const stream of [server.stdin, process.stdout]) stream.on('error', () => undefined)
server.once('exit', (code) => {
  process.exitCode = code ?? 1
  process.stdin.destroy()
})

// The 2026 era names its revision in each request, the 2025 era agrees on one in the answer to `initialize`.
let agreed
createInterface({ input: server.stdout }).on('line', (line) => {
  agreed ??= JSON.parse(line).result?.protocolVersion
})
createInterface({ input: process.stdin }).on('line', (line) => {
  const { method, params } = JSON.parse(line)
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? agreed
  if (method !== undefined) appendFileSync(file, `${JSON.stringify({ method, version })}\n`)
})
process.stdin.pipe(server.stdin)
server.stdout.pipe(process.stdout)
