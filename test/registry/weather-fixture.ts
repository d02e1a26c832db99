import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'

export interface WeatherInput {
  readonly city: '北京' | '上海' | '深圳'
  readonly unit?: 'celsius' | 'fahrenheit'
  readonly days?: number
}

export interface WeatherArgs {
  readonly city: '北京' | '上海' | '深圳'
  readonly unit: 'celsius' | 'fahrenheit'
  readonly days?: number
}

export const weatherSchema = JsonSchema.builder()
  .addProperty('city', SchemaProperty.STRING.withDescription('City name').withEnum('北京', '上海', '深圳'))
  .addProperty('unit', SchemaProperty.STRING.withEnum('celsius', 'fahrenheit').withDefault('celsius'))
  .addProperty('days', SchemaProperty.INTEGER)
  .addRequired('city')
  .build()

export const weather = ToolDefinition.builder()
  .name('get_weather')
  .parameterSchema(weatherSchema)
  .annotations({ readOnlyHint: true })
  .metadata({ owner: 'weather-team', timeoutMs: 10_000 })
  .withInterceptor({ name: 'guard' })
  .executor(({ args }) => ({ city: args.city, unit: args.unit }))
  .build()

export interface Weather {
  city: '北京' | '上海' | '深圳'
  unit: 'celsius' | 'fahrenheit'
}
