import { bodyOf, type Header, type HttpCase } from './http-cases.js'

/** Of these node:http keeps the first one; others it joins. */
const SINGLE = ['host', 'content-type', 'authorization', 'content-length']

/** The value of a header as a server gets to see it. */
export function headerIn(headers: readonly Header[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  const values = headers
    .filter(([other]) => other.toLowerCase() === wanted)
    .map(([, value]) => trimmed(value))
  if (values.length === 0) return undefined
  return SINGLE.includes(wanted) ? values[0] : values.join(', ')
}

export function isRepeated(headers: readonly Header[], name: string): boolean {
  return headers.filter(([other]) => other === name).length > 1
}

function trimmed(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '')
}

export function mediaType(contentType = ''): string {
  return trimmed(contentType.split(';')[0] ?? '').toLowerCase()
}

export function isHostAllowed(host = ''): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:([0-9]{0,4}|[1-5][0-9]{4}))?$/i.test(host)
}

export function isOriginAllowed(origin: string): boolean {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(origin)
}

/** The length of the body that the headers tell, or that it has. */
export function declaredLength(request: HttpCase): number {
  const { length } = bodyOf(request)
  if (request.framing === 'none') return 0
  if (request.framing === 'too short') return length >> 1
  return request.framing === 'too long' ? length + 10 : length
}

/** The part of the body that belongs to the request, as text. */
export function effectiveBody(request: HttpCase): string {
  return bodyOf(request).subarray(0, declaredLength(request)).toString()
}
