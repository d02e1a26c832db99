/**
 * Blocks of a page that are one module, as the reader takes them: those under one heading, in order.
 *
 * Two marks, which a rendered page does not show, say more:
 * - `<!-- continues -->` before a block joins it, and what follows under its heading, to the group before;
 * - a comment that opens with a line `<!-- ts` holds lines that belong to the code but would only distract.
 */
export interface CodeGroup {
  readonly heading: string
  /** Stands on the lines where the page has it, so that an error names the page's own line. */
  readonly code: string
}

interface Growing {
  readonly heading: string
  readonly lines: Map<number, string>
}

const fence = /^\s*(`{3,}|~{3,})\s*([^\s`]*)/
/** Names under which code would escape the check. */
const otherNames = /^(js|javascript|mjs|typescript|tsx|mts)$/i

/** The TypeScript of a Markdown page. Throws on a block that is left open or fenced as another kind of script. */
export function codeGroups(markdown: string): readonly CodeGroup[] {
  const groups: Growing[] = []
  let heading = ''
  let group: Growing | undefined
  let block: { readonly ends: RegExp; readonly code: boolean; readonly line: number } | undefined

  for (const [index, line] of markdown.split('\n').entries()) {
    if (block) {
      if (block.ends.test(line)) block = undefined
      else if (block.code) group?.lines.set(index, line)
      continue
    }
    const [, marks, language = ''] = fence.exec(line) ?? []
    const hidden = /^<!-- ts\s*$/.test(line)
    if (otherNames.test(language))
      throw new Error(`Line ${index + 1}: fence "${language}" as "ts", so that it is checked`)
    if (marks || hidden) {
      const code = hidden || language === 'ts'
      block = { ends: hidden ? /^-->\s*$/ : closing(marks ?? ''), code, line: index + 1 }
      if (!code || group) continue
      group = { heading, lines: new Map() }
      groups.push(group)
    } else if (/^#{1,6}\s/.test(line)) {
      heading = line.replace(/^#+\s+/, '')
      group = undefined
    } else if (/^<!-- continues -->\s*$/.test(line)) {
      group ??= groups.at(-1)
      if (!group) throw new Error(`Line ${index + 1}: there is no code before it to continue`)
    }
  }
  if (block) throw new Error(`Line ${block.line}: this block is never closed`)
  return groups.map(({ heading, lines }) => ({ heading, code: onTheirLines(lines) }))
}

function closing(marks: string): RegExp {
  return new RegExp(`^\\s*${marks.charAt(0)}{${marks.length},}\\s*$`)
}

function onTheirLines(lines: ReadonlyMap<number, string>): string {
  return Array.from({ length: Math.max(-1, ...lines.keys()) + 1 }, (_, index) => lines.get(index) ?? '').join(
    '\n',
  )
}
