import 'reflect-metadata'
import { Container } from 'inversify'
import { Bench } from 'tinybench'
import {
  JsonSchema,
  SchemaProperty,
  ToolDefinition,
  ToolRegistry,
  ToolRuntime,
  toolRuntimeModule,
} from '../dist/index.js'

// How registration, listing and a call grow with the number of tools. Each figure is a ratio within this run.
const SIZES = [100, 1_000, 10_000]

async function main() {
  await registration()
  await calls()
  await notifications()
}

async function registration() {
  const rows = []
  for (const size of SIZES) {
    const tools = makeTools(size)
    const bench = new Bench({ time: 500, warmupTime: 200 })
    bench.add('register', () => new ToolRegistry().registerAll(tools))
    const full = new ToolRegistry()
    full.registerAll(tools)
    bench.add('list', () => {
      full.replace(tools[0])
      full.list()
    })
    await bench.run()
    rows.push({
      tools: size,
      'register, ns/tool': perTool(bench, 'register', size),
      'list after a change, ns/tool': perTool(bench, 'list', size),
    })
  }
  console.log('Registration and listing: flat is linear growth')
  console.table(rows)
}

async function calls() {
  const rows = []
  for (const size of SIZES) {
    const { runtime } = await startRuntime()
    runtime.registry.registerAll(makeTools(size))
    const bench = new Bench({ time: 500, warmupTime: 200 })
    bench.add('first', () => runtime.call('tool_0', { city: 'Paris' }))
    bench.add('last', () => runtime.call(`tool_${size - 1}`, { city: 'Paris' }))
    await bench.run()
    const [first, last] = ['first', 'last'].map((name) => latencyMs(bench, name) * 1e6)
    rows.push({
      tools: size,
      'first, ns': Math.round(first ?? 0),
      'last / first': ((last ?? 0) / (first ?? 1)).toFixed(2),
    })
    await runtime.close()
  }
  console.log('A call, whatever the number of tools')
  console.table(rows)
}

async function notifications() {
  const registry = new ToolRegistry()
  let events = 0
  registry.addListener({
    onChanged: () => {
      events++
    },
  })
  registry.registerAll(makeTools(10_000))
  await new Promise((resolve) => setTimeout(resolve, 200))
  console.log(`registerAll of 10 000 tools: ${events} notification`)
}

async function startRuntime() {
  const container = new Container()
  container.load(toolRuntimeModule({ logLevel: 'error' }))
  const runtime = container.get(ToolRuntime)
  await runtime.start()
  return { runtime }
}

function makeTools(size) {
  return Array.from({ length: size }, (_, i) =>
    ToolDefinition.builder()
      .name(`tool_${i}`)
      .description(`Weather of a city, variant ${i}`)
      .parameterSchema(
        JsonSchema.object(
          {
            city: SchemaProperty.STRING.withEnum('Paris', 'Tokyo'),
            unit: SchemaProperty.STRING.withDefault('celsius'),
          },
          { required: ['city'] },
        ),
      )
      .executor(async ({ args }) => ({ city: args.city, unit: args.unit }))
      .build(),
  )
}

function perTool(bench, name, size) {
  return Math.round((latencyMs(bench, name) * 1e6) / size)
}

function latencyMs(bench, name) {
  const result = bench.getTask(name)?.result
  if (!result?.latency) throw new Error(`${name} did not run`)
  return result.latency.p50
}

await main()
