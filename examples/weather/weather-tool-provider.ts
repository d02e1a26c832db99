import { inject, injectable } from 'inversify'
import { JsonSchema, SchemaProperty, ToolDefinition, type ToolDefinitionProvider } from 'toolwire'
import { RateLimitInterceptor } from 'toolwire/interceptors'
import { CITIES, WeatherService } from './weather-service.js'

@injectable()
export class WeatherToolProvider implements ToolDefinitionProvider {
  constructor(
    @inject(WeatherService) private readonly weather: WeatherService,
    @inject(RateLimitInterceptor) private readonly rateLimit: RateLimitInterceptor,
  ) {}

  provide() {
    return [
      ToolDefinition.builder()
        .name('get_weather')
        .title('Weather')
        .description('The usual weather of a city in the current month: mean temperature and rain')
        .parameterSchema(
          JsonSchema.builder()
            .addProperty('city', SchemaProperty.STRING.withDescription('City name').withEnum(...CITIES))
            .addProperty(
              'unit',
              SchemaProperty.STRING.withEnum('celsius', 'fahrenheit').withDefault('celsius'),
            )
            .addRequired('city')
            .build(),
        )
        .annotations({ readOnlyHint: true, openWorldHint: false })
        .metadata({ owner: 'weather-team', version: '1.0.0', timeoutMs: 10_000 })
        .withInterceptor(this.rateLimit)
        .executor(({ args, signal }) => this.weather.fetch(args.city, args.unit, { signal }))
        .build(),
    ]
  }
}
