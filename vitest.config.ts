import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    // The package's own name means its source, as `paths` in tsconfig.json says for tsc and tsx.
    alias: [
      { find: /^toolwire$/, replacement: source('index.ts') },
      { find: /^toolwire\/interceptors$/, replacement: source('interceptors/index.ts') },
      { find: /^toolwire\/mcp$/, replacement: source('bridge/index.ts') },
    ],
  },
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    // Generous, since a slow machine must not make a right answer wrong; a hang still ends.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
  },
})
