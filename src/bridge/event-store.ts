/**
 * Keeps what was sent to clients, so that one whose connection broke gets what it missed (MCP 2025-11-25 "Resumability and
 * Redelivery"). Every method is told the session: a store keeps each session's events apart, and an event id of another
 * session is one that it does not know.
 */
export interface EventStore {
  /**
   * Keeps a message as the next event of a stream and returns its id: text of visible ASCII, not empty, that names this
   * event and no other in the session. An object without members marks the beginning of a stream, and is never replayed.
   * What the store keeps is a copy.
   */
  append(session: string, stream: string, message: Readonly<Record<string, unknown>>): Promise<string>

  /** The stream of an event, or `undefined` if the session has no such event, or has it no more. */
  streamOf(session: string, eventId: string): Promise<string | undefined>

  /**
   * Sends the events that came after this one in its stream, oldest first, each once the one before is sent, and returns
   * the stream; `undefined`, and nothing sent, if the event is unknown. All or nothing: where an event has been dropped,
   * none of the ones before it is known any more.
   */
  replayAfter(
    session: string,
    eventId: string,
    send: (eventId: string, message: Readonly<Record<string, unknown>>) => Promise<void>,
  ): Promise<string | undefined>

  /** Forgets a session with all its events. */
  drop(session: string): Promise<void>
}

/** Whether the message is the answer to the request whose stream it is on, after which nothing comes. */
export function endsStream(message: Readonly<Record<string, unknown>>): boolean {
  return 'result' in message || 'error' in message
}
