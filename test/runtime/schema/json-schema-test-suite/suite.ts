import { readFileSync } from 'node:fs'

/** A dialect, by the name of its folder in the suite. */
export type Draft = 'draft2020-12' | 'draft7'

/** One schema of the suite, and instances of it. */
export interface SuiteGroup {
  readonly draft: Draft
  /** Path inside the folder of the dialect. */
  readonly file: string
  readonly description: string
  readonly schema: boolean | Readonly<Record<string, unknown>>
  readonly tests: readonly SuiteTest[]
}

export interface SuiteTest {
  readonly description: string
  readonly data: unknown
  readonly valid: boolean
}

/** The vendored part of the official JSON-Schema-Test-Suite: what each implementation must agree on, and `optional/`. */
export const SUITE: readonly SuiteGroup[] = (['draft2020-12', 'draft7'] as const).flatMap((draft) => {
  const text = readFileSync(new URL(`${draft}.json`, import.meta.url), 'utf8')
  const files: Readonly<Record<string, readonly Omit<SuiteGroup, 'draft' | 'file'>[]>> = JSON.parse(text)
  return Object.entries(files).flatMap(([file, groups]) => groups.map((group) => ({ ...group, draft, file })))
})
