// Writes the files beside it anew, from a git repository of https://github.com/json-schema-org/JSON-Schema-Test-Suite:
//   node vendor.mjs <path of the repository, with or without a working tree>
// One JSON file a dialect, which maps the path of each file of the suite to its groups, minified, a line a file.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const [repository] = process.argv.slice(2)
if (repository === undefined) throw new TypeError('usage: node vendor.mjs <path of the repository>')

const commit = git('rev-parse', 'HEAD').trim()

for (const [folder, file] of [
  ['tests/draft2020-12/', 'draft2020-12.json'],
  ['tests/draft7/', 'draft7.json'],
]) {
  const paths = git('ls-tree', '-r', '-z', '--name-only', commit, folder).split('\0').filter(Boolean)
  const lines = paths.map((path) => {
    const groups = JSON.parse(git('cat-file', 'blob', `${commit}:${path}`))
    return `${JSON.stringify(path.slice(folder.length))}:${JSON.stringify(groups)}`
  })
  write(file, `{\n${lines.join(',\n')}\n}\n`)
}
write('LICENSE', git('cat-file', 'blob', `${commit}:LICENSE`))
write('COMMIT', `${commit}\n`)

function git(...args) {
  return execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })
}

function write(name, text) {
  writeFileSync(new URL(name, import.meta.url), text)
}
