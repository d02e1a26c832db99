/** Whether the same HTTP request may succeed later (RFC 9110): after a 5xx, 408, 425, 429, or no answer at all. */
export function isTransientStatus(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 425 || status === 429
}
