import climate from './climate.json' with { type: 'json' }

export const CITIES = ['北京', '上海', '广州', '深圳', '东京', 'London', 'Paris', 'New York'] as const
export type City = (typeof CITIES)[number]

export interface Weather {
  readonly city: City
  /** 1 to 12. */
  readonly month: number
  readonly temperature: number
  readonly unit: 'celsius' | 'fahrenheit'
  readonly rainMm: number
}

/** What the weather is usually like in the current month: long-term means, so that the example needs no network. */
export class WeatherService {
  async fetch(
    city: City,
    unit: Weather['unit'],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Weather> {
    signal.throwIfAborted()
    const month = new Date().getMonth()
    const { celsius, rainMm } = climate.cities[city]
    const degrees = celsius[month] as number
    const temperature = unit === 'celsius' ? degrees : Math.round(degrees * 18 + 320) / 10
    return { city, month: month + 1, temperature, unit, rainMm: rainMm[month] as number }
  }
}
