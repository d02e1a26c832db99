// What a library of tools exports: its declarations must be writable with what the package exports.
import { JsonSchema, SchemaProperty, ToolDefinition } from 'toolwire'

export const now = ToolDefinition.builder()
  .name('now')
  .executor(() => Date.now())
  .build()

export const city = SchemaProperty.STRING.withEnum('Oslo', 'Lima')

export const days = SchemaProperty.array(SchemaProperty.INTEGER.withMinimum(1)).nullable()

export const parameters = JsonSchema.object({ city, days }, { required: ['city'] })

export const weather = ToolDefinition.builder()
  .name('weather')
  .parameterSchema(parameters)
  .executor(({ args }) => ({ city: args.city, days: args.days }))
  .build()

export const raw = ToolDefinition.builder()
  .name('raw')
  .parameterSchema({ type: 'object' })
  .executor(({ args }) => args)
  .build()

export const started = JsonSchema.builder().addProperty('city', city)
