import { quoteName } from './quoted-name.js'

/** What can be defined: MCP's three server features. */
export type DefinitionKind = 'tool' | 'resource' | 'prompt'

const LABELS: Readonly<Record<DefinitionKind, string>> = {
  tool: 'Tool',
  resource: 'Resource',
  prompt: 'Prompt',
}

/** A definition as a message names it: `Tool "get_weather"`. */
export function subjectOf(
  name: string,
  { kind = 'tool' }: { readonly kind?: DefinitionKind | undefined } = {},
): string {
  return `${LABELS[kind]} ${quoteName(name)}`
}
