import { types } from 'node:util'

/** Base64 (RFC 4648, section 4) of bytes; a string is taken for base64 already, and anything else left for a check. */
export function toBase64(data: Uint8Array | string): string {
  if (!types.isUint8Array(data)) return data
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}

/** Why a string is no base64, as the end of a sentence. One pass, without a limit on its length. */
export function base64Fault(text: string): string | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const wrong = text.slice(0, text.length - padding).search(/[^A-Za-z0-9+/]/)
  if (wrong !== -1) {
    const character = JSON.stringify(String.fromCodePoint(text.codePointAt(wrong) ?? 0))
    return `must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got ${character} at ${wrong})`
  }
  return text.length % 4 === 0
    ? undefined
    : 'must be base64, filled up with "=" to a multiple of 4 characters'
}
