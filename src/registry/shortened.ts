/** At most `max` characters (UTF-16 code units) of the text, with "…" where it was cut; never half of a surrogate pair. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`
}
