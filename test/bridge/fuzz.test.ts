import { expect, it } from 'vitest'
import { campaign, PROPERTY_NAMES } from './fuzz/campaign.js'

// With a seed of its own, it is what `npm run fuzz` does for longer.
it.each(PROPERTY_NAMES)(
  'survives hostile input, answers it as it should, and logs no secret: %s',
  async (name) => {
    const { failure, cases } = await campaign(name, { seed: 20_260_728, runs: 300 })
    expect(failure).toBeUndefined()
    expect(cases).toBeGreaterThan(40)
  },
)
