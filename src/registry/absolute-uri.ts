import { MAX_URI_LENGTH } from './uri-template.js'

/** Why a text is no absolute URI, as the end of a sentence. */
export function absoluteUriFault(text: string): string | undefined {
  if (!hasScheme(text)) return 'must be an absolute URI with a scheme, such as docs://readme'
  if (text.length > MAX_URI_LENGTH) return `must not be longer than ${MAX_URI_LENGTH} characters`
  const wrong = /[\s\p{Cc}"<>\\^`{|}]/u.exec(text)?.[0]
  if (wrong !== undefined) return `must be a URI: ${JSON.stringify(wrong)} has to be percent-encoded in it`
  return URL.canParse(text) ? undefined : 'must be a URI: what comes after the scheme makes no sense'
}

/** Whether it begins with a scheme (RFC 3986, section 3.1). */
export function hasScheme(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:./.test(text)
}
