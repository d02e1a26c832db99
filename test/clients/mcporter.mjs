// mcporter calls tools from a shell. It connects anew for each command.
import { runCommand } from './command-line.mjs'
import { report } from './contract.mjs'

await report(async ({ url, command, args }, _, signal) => {
  const server =
    url === undefined
      ? ['--stdio', command, ...args.flatMap((arg) => ['--stdio-arg', arg])]
      : ['--http-url', url, '--allow-http']
  const run = (...words) => runCommand('mcporter', [...words, ...server, '--name', 'weather'], { signal })
  return {
    list: async () => JSON.parse(await run('list', '--json')).tools.map(({ name }) => name),
    call: (city) => run('call', 'get_weather', '--args', JSON.stringify({ city }), '--output', 'text'),
    close: async () => undefined,
  }
})
