import type { HttpArrival } from './http-arrival.js'
import { errorAnswer, type HttpAnswer } from './http-exchange.js'
import { PARSE_ERROR } from './json-rpc.js'

/** The JSON in the body of a request, or why there is none. */
export type JsonBody = { readonly json: unknown } | { readonly refusal: HttpAnswer }

/** Reads the body, unless something in front of us has done so. */
export async function readJson(arrival: HttpArrival, maxBytes: number): Promise<JsonBody> {
  const { parsedBody } = arrival
  if (typeof parsedBody === 'object' && parsedBody !== null && !Buffer.isBuffer(parsedBody))
    return { json: parsedBody }
  const text = parsedBody === undefined ? await readText(arrival, maxBytes) : String(parsedBody)
  if (typeof text === 'object') return { refusal: text }
  try {
    return { json: JSON.parse(text) }
  } catch {
    return { refusal: errorAnswer(400, 'The body is not valid JSON', { code: PARSE_ERROR }) }
  }
}

async function readText(arrival: HttpArrival, maxBytes: number): Promise<string | HttpAnswer> {
  try {
    const text = await arrival.readBody(maxBytes)
    if (text !== undefined) return text
    return errorAnswer(413, `The body must not be larger than ${maxBytes} bytes`, {
      headers: { connection: 'close' },
    })
  } catch {
    return errorAnswer(400, 'The body could not be read', { code: PARSE_ERROR })
  }
}
