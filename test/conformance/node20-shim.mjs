// Lets the conformance suite load on Node 20, where `fs` has no `globSync`: the suite imports it for a command that is not
// used here. `node --import ./node20-shim.mjs …`
import fs from 'node:fs'
import { register } from 'node:module'

if (fs.globSync === undefined) register(moduleOf(hooks()))

function hooks() {
  const whole = moduleOf(`
    export * from 'node:fs'
    export function globSync() {
      throw new Error('fs.globSync needs Node 22')
    }`)
  return `
    export function resolve(specifier, context, nextResolve) {
      const isOfSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/')
      if (!isOfSuite || (specifier !== 'fs' && specifier !== 'node:fs')) return nextResolve(specifier, context)
      return { url: ${JSON.stringify(whole)}, shortCircuit: true }
    }`
}

function moduleOf(source) {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
