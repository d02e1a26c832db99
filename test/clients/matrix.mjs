const ERA_2025 = '2025-11-25'
const ERA_2026 = '2026-07-28'

/**
 * The clients that are run, each over HTTP and over stdio. `era` is the protocol revision that its calls must be seen to speak
 * on the wire. A client that `checks` arguments itself sends none that are wrong.
 */
export const clients = [
  { name: '@ai-sdk/mcp', script: 'ai-sdk.mjs', options: ['1'], era: ERA_2025 },
  // Says Node >= 22, and runs on 20.
  { name: '@ai-sdk/mcp-2', script: 'ai-sdk.mjs', options: ['2'], era: ERA_2026 },
  { name: '@apify/mcpc', script: 'mcpc.mjs', era: ERA_2025 },
  { name: '@langchain/mcp-adapters', script: 'langchain.mjs', era: ERA_2025, checks: true },
  // Says Node >= 22.19, and its command line runs on 20.
  { name: '@modelcontextprotocol/inspector', script: 'inspector.mjs', era: ERA_2025 },
  {
    name: '@modelcontextprotocol/inspector',
    script: 'inspector.mjs',
    options: ['--protocol-era', 'modern'],
    era: ERA_2026,
  },
  { name: '@openai/agents', script: 'openai-agents.mjs', era: ERA_2026 },
  { name: 'mcporter', script: 'mcporter.mjs', era: ERA_2025 },
]

/** The clients that are not run, and why. */
export const leftOut = {
  '@mastra/mcp':
    '2.0 needs Node 22; 0.14.5 works, but brings @mastra/core with it, 424 packages for one client',
  'mcp-use': '1.34.6 does not load without langchain; with it, it works, but that is 386 packages and 630 MB',
  '@wong2/mcp-cli': '2.0.0 calls tools, but lists them only in a menu at a terminal',
  'mcporter 0.12': 'needs Node 24; 0.9.0 is run in its place',
}
