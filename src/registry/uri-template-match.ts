import type { TemplatePart } from './uri-template-parser.js'

/**
 * What each part stands for in `text`, or undefined if they do not fit it. Where there is more than one way, an earlier
 * variable takes as much as it can. The time grows with the length of the text, whatever stands
 * in it: nothing is tried twice.
 */
export function valuesOf(parts: readonly TemplatePart[], text: string): readonly string[] | undefined {
  const [first] = parts
  const last = parts.at(-1)
  // Most templates end here.
  if (first?.kind === 'literal' && !text.startsWith(first.text)) return undefined
  if (last?.kind === 'literal' && !text.endsWith(last.text)) return undefined

  // From the last part to the first: for each place, where a part that begins there ends so that all after it fits.
  let after: Ends = new Uint16Array(text.length + 1)
  after[text.length] = 1
  const ends = parts
    .toReversed()
    .map((part) => {
      after =
        part.kind === 'literal' ? literalEnds(part.text, text, after) : variableEnds(part.stops, text, after)
      return after
    })
    .reverse()

  const values: string[] = []
  let place = 0
  for (const each of ends) {
    const end = each[place] ?? 0
    if (end === 0) return undefined
    values.push(text.slice(place, end))
    place = end
  }
  return place === text.length ? values : undefined
}

/** By place; 0 where the part cannot begin, since no part is empty. */
type Ends = Uint16Array

function literalEnds(literal: string, text: string, after: Ends): Ends {
  const ends = new Uint16Array(after.length)
  for (let place = 0, end = literal.length; end < after.length; place++, end++) {
    if (after[end] !== 0 && text.startsWith(literal, place)) ends[place] = end
  }
  return ends
}

function variableEnds(stops: string, text: string, after: Ends): Ends {
  const ends = new Uint16Array(after.length)
  let furthest = 0
  for (let place = text.length - 1; place >= 0; place--) {
    if (stops.includes(text.charAt(place))) furthest = 0
    else if (furthest === 0 && after[place + 1] !== 0) furthest = place + 1
    ends[place] = furthest
  }
  return ends
}
