/** Whether it is a media type (RFC 6838), such as `text/markdown` or `text/plain; charset=utf-8`. */
export function isMimeType(text: string): boolean {
  return text.length <= 255 && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\t\x20-\x7e]*)?$/.test(text)
}
