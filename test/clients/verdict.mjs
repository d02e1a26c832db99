import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'

const { cities } = JSON.parse(readFileSync(new URL('../../examples/weather/climate.json', import.meta.url)))

/**
 * Judges what a client of matrix.mjs `told` and what it was seen to send. For each thing it had to show: `undefined`, or what
 * was there in its place.
 */
export function verdict(client, { tools, right, wrong }, requests) {
  return {
    list: listed(tools),
    right: answered(right),
    wrong: refused(wrong),
    wire: spoken(client, requests),
  }
}

/** The revisions that its lists and calls were sent in. A client asks what there is in any revision before it settles. */
export function revisions(requests) {
  return [...new Set(aboutTools(requests).map(({ version }) => version))]
}

function listed(tools) {
  return unless(isDeepStrictEqual([...tools].sort(), ['get_weather', 'search_hotels']), tools)
}

function answered(right) {
  const { month, ...weather } = JSON.parse(right)
  const { celsius, rainMm } = cities.东京
  const unit = 'celsius' // the default of the schema: no client sends it
  const expected = { city: '东京', temperature: celsius[month - 1], unit, rainMm: rainMm[month - 1] }
  return unless(isDeepStrictEqual(weather, expected), right)
}

/** A model can mend its call when it is told the argument, and every value that would have been right. */
function refused(wrong) {
  const named = ['city', ...Object.keys(cities)].every((name) => wrong.includes(`"${name}"`))
  return unless(named, wrong)
}

function spoken({ era, checks }, requests) {
  const methods = aboutTools(requests).map(({ method }) => method)
  const calls = methods.filter((method) => method === 'tools/call').length
  const asExpected = methods.includes('tools/list') && calls === (checks ? 1 : 2)
  return unless(asExpected && isDeepStrictEqual(revisions(requests), [era]), requests)
}

function aboutTools(requests) {
  return requests.filter(({ method }) => method.startsWith('tools/'))
}

function unless(good, seen) {
  return good ? undefined : JSON.stringify(seen)
}
