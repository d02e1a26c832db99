import { inject, injectable } from 'inversify'
import {
  InvalidArgumentsError,
  JsonSchema,
  SchemaProperty,
  ToolDefinition,
  type ToolDefinitionProvider,
} from 'toolwire'
import { RateLimitInterceptor } from 'toolwire/interceptors'
import { HotelService } from './hotel-service.js'
import { CITIES } from './weather-service.js'

const date = SchemaProperty.STRING.withFormat('date')

@injectable()
export class HotelToolProvider implements ToolDefinitionProvider {
  constructor(
    @inject(HotelService) private readonly hotels: HotelService,
    @inject(RateLimitInterceptor) private readonly rateLimit: RateLimitInterceptor,
  ) {}

  provide() {
    return [
      ToolDefinition.builder()
        .name('search_hotels')
        .title('Hotel search')
        .description('Hotels of a city for a stay')
        .parameterSchema(
          JsonSchema.object(
            {
              city: SchemaProperty.STRING.withDescription('City name').withEnum(...CITIES),
              checkIn: date.withDescription('First night, YYYY-MM-DD'),
              checkOut: date.withDescription('Day of departure, YYYY-MM-DD'),
            },
            { required: ['city', 'checkIn', 'checkOut'] },
          ),
        )
        .annotations({ readOnlyHint: true, openWorldHint: false })
        .metadata({ owner: 'travel-team', version: '1.0.0', rateLimit: { perMinute: 30 } })
        .withInterceptor(this.rateLimit)
        .executor(({ args: { city, checkIn, checkOut } }) => ({
          city,
          nights: nightsBetween(checkIn, checkOut),
          hotels: this.hotels.find(city),
        }))
        .build(),
    ]
  }
}

const DAY_MS = 86_400_000

/** A rule that spans two arguments cannot stand in the schema; thrown like this it reads the same to a model. */
function nightsBetween(checkIn: string, checkOut: string): number {
  const nights = (Date.parse(checkOut) - Date.parse(checkIn)) / DAY_MS
  if (nights >= 1) return nights
  throw new InvalidArgumentsError('search_hotels', [
    { path: '/checkOut', keyword: 'custom', message: '"checkOut" must be after "checkIn"' },
  ])
}
