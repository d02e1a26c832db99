// Apify's mcpc keeps a connection open between commands, in a process of its own that `close` ends.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './command-line.mjs'
import { report, textOf } from './contract.mjs'

const ATTEMPTS = 3

await report(async ({ url, command, args }, _, signal) => {
  const home = await mkdtemp(join(tmpdir(), 'mcpc-'))
  process.env.MCPC_HOME_DIR = home
  const config = join(home, 'servers.json')
  await writeFile(config, JSON.stringify({ mcpServers: { weather: { command, args } } }))

  const run = async (...words) => JSON.parse(await runCommand('mcpc', ['--json', ...words], { signal }))
  const connected = connect(url ?? `${config}:weather`, signal)
  return {
    async list() {
      await connected
      return (await run('@weather', 'tools-list')).map(({ name }) => name)
    },
    call: async (city) => textOf(await run('@weather', 'tools-call', 'get_weather', `city:=${city}`)),
    async close() {
      await connected.catch(() => undefined) // which `list` has told
      await runCommand('mcpc', ['close', '@weather'], { exitCodes: [1] }) // 1: there is no session
      await rm(home, { recursive: true, force: true })
    },
  }
})

/** Not broken off by the signal once it runs: that would leave a process that `close` does not know yet. */
async function connect(server, signal) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runCommand('mcpc', ['connect', server, '@weather'])
    } catch (error) {
      // It gives its process 5 seconds to start, and ends it then. A busy machine may need longer.
      const slow = error.message.includes('Bridge failed to start')
      if (!slow || attempt === ATTEMPTS || signal.aborted) throw error
    }
  }
}
