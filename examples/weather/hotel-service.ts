import hotels from './hotels.json' with { type: 'json' }
import type { City } from './weather-service.js'

export interface HotelOffer {
  readonly name: string
  readonly stars: number
  readonly district: string
}

export class HotelService {
  /** The hotels of a city, best first. */
  find(city: City): readonly HotelOffer[] {
    return hotels
      .filter((hotel) => hotel.city === city)
      .map(({ name, stars, district }) => ({ name, stars, district }))
      .sort((a, b) => b.stars - a.stars)
  }
}
