import { parseArgs } from 'node:util'
import { campaign, PROPERTY_NAMES } from './campaign.js'

/** `npm run fuzz -- --seconds 120 --seed 7`: fuzzes the bridge for so long, and says what it was asked and what broke. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
})
const endsAt = performance.now() + Number(values.seconds) * 1_000
const names = PROPERTY_NAMES.filter((name) => values.only === undefined || name === values.only)
const counts = new Map<string, number>()
let failures = 0

console.log(`seed ${values.seed}, ${values.seconds} s: ${names.join(', ')}`)
for (let seed = Number(values.seed); performance.now() < endsAt; seed++) {
  for (const [index, name] of names.entries()) {
    if (performance.now() >= endsAt) break
    const { cases, failure } = await campaign(name, { seed: seed + 1_000_000 * index, runs: 1_000 })
    counts.set(name, (counts.get(name) ?? 0) + cases)
    if (failure === undefined) continue
    failures++
    console.log(`\n${name} fails:\n${failure}`)
  }
}
console.log(`\n${[...counts].map(([name, count]) => `${name}: ${count} cases`).join('\n')}`)
console.log(failures === 0 ? 'nothing broke' : `${failures} failures`)
process.exitCode = failures === 0 ? 0 : 1
