/** A message as an event of a stream (HTML standard, "Server-sent events"), after which its client can resume. */
export function messageEvent(id: string, message: object): string {
  return `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`
}

/** Tells a client that it can resume after an event, and how long to wait before it does. */
export function cursorEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`
}
