import type { Logger } from '../interceptors/logger.js'

/**
 * Logs what an SDK reports of a connection, without what a client sent. An SDK puts headers, names and whole messages into
 * its errors, quoted or not; the first words, such as "Received a response", say what kind of fault it is.
 */
export function connectionErrorLog(logger: Logger): (error: Error) => void {
  return ({ name, message }) => {
    const words = /^[^:'"`{[]*/.exec(message)?.[0].split(' ').slice(0, 3)
    logger.debug({ error: name, reason: words?.join(' ') }, 'MCP connection reported an error')
  }
}
