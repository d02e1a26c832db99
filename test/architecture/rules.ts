import { importsOf, type SourceImport, type Sources } from './source-imports.js'

/** A rule of the house: gives one sentence for each place that breaks it. */
export type Rule = (sources: Sources) => readonly string[]

const height = new Map([
  ['registry', 0],
  ['interceptors', 1],
  ['providers', 1],
  ['runtime', 2],
  ['bridge', 3],
  ['index.ts', 4],
  ['cli', 5],
])
const sdk = /^@modelcontextprotocol\//
const sdkFolders = ['bridge/sdk-v1/', 'bridge/sdk-v2/', 'providers/mcp/']
const loadedLater = /^(ajv|ajv-formats|@modelcontextprotocol)(\/|$)/
const drawer = /^(utils?|helpers?|common|types?)(\.ts)?$/
const longest = 250

/** Imports point down: registry < interceptors, providers < runtime < bridge < index < cli. */
export const importsPointDown: Rule = (sources) =>
  importsOf(sources)
    .filter(pointsUp)
    .map(({ from, to }) => `${from} must not import ${to}`)

/** No file imports itself by way of others; an import of a type counts as well. */
export const noCircles: Rule = (sources) => {
  const imports = importsOf(sources).filter(({ external }) => !external)
  const circles = [...sources.keys()].map((file) => shortestWay(imports, file, (to) => to === file))
  // Each circle is found once from each of its files: told once, from the first by name.
  return circles
    .filter((way) => way !== undefined)
    .filter(([first, ...rest]) => rest.every((file) => first !== undefined && first <= file))
    .map((way) => way.join(' → '))
}

/** The MCP SDKs are known to their adapters alone, so that an era can be dropped with its folder. */
export const sdkStaysInAdapters: Rule = (sources) =>
  importsOf(sources)
    .filter(({ from, to }) => sdk.test(to) && !sdkFolders.some((folder) => from.startsWith(folder)))
    .map(({ from, to }) => `${from} must not import ${to}: only ${sdkFolders.join(', ')} may`)

/** Loading `src/index.ts` loads neither Ajv nor an MCP SDK: such an import must be dynamic, or of types alone. */
export const coreLoadsLight: Rule = (sources) => {
  if (!sources.has('index.ts')) return ['index.ts is missing']
  const loads = importsOf(sources).filter(({ kind }) => kind === 'value')
  const way = shortestWay(loads, 'index.ts', (to) => loadedLater.test(to))
  return way ? [way.join(' → ')] : []
}

/** Every file stands in a folder of the house, and none in a drawer for everything. */
export const foldersAreNamed: Rule = (sources) =>
  [...sources.keys()].flatMap((path) => [
    ...(height.has(topOf(path)) ? [] : [`${path} stands in no layer`]),
    ...path
      .split('/')
      .filter((part) => drawer.test(part))
      .map((part) => `${path}: name "${part}" after what is in it`),
  ])

/** A file has one idea. */
export const filesAreShort: Rule = (sources) =>
  [...sources]
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > longest)
    .map(({ path, lines }) => `${path} has ${lines} lines, more than ${longest}`)

function pointsUp({ from, to, external }: SourceImport): boolean {
  if (external) return /^toolwire(\/|$)/.test(to)
  const [own, other] = [adapterOf(from), adapterOf(to)]
  if (own && other && own !== other) return true
  if (topOf(from) === topOf(to)) return false
  return (height.get(topOf(to)) ?? Infinity) >= (height.get(topOf(from)) ?? -Infinity)
}

function topOf(path: string): string {
  return path.split('/')[0] ?? path
}

function adapterOf(path: string): string | undefined {
  return /^bridge\/(sdk-[^/]+)\//.exec(path)?.[1]
}

/** The shortest chain of imports from a file to one that is looked for, both ends included. */
function shortestWay(
  imports: readonly SourceImport[],
  start: string,
  found: (to: string) => boolean,
): readonly string[] | undefined {
  const seen = new Set<string>()
  const ways: (readonly [...string[], string])[] = [[start]]
  for (const way of ways) {
    const last = way[way.length - 1]
    for (const { to } of imports.filter(({ from }) => from === last)) {
      if (found(to)) return [...way, to]
      if (seen.has(to)) continue
      seen.add(to)
      ways.push([...way, to])
    }
  }
  return undefined
}
