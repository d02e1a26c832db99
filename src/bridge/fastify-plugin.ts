import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeHandler } from './node-http.js'

/** The part of a Fastify instance that the plugin uses, so that Fastify's types are not needed without Fastify. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown },
    ) => void,
  ): unknown
}

export type FastifyPlugin = (instance: FastifyLike) => Promise<void>

/** Mounts `handler` at the prefix that the plugin is registered with. Other routes keep their body parsers. */
export function fastifyPlugin(handler: NodeHandler): FastifyPlugin {
  return async (instance) => {
    // The host reads the body itself: its limit, and its answers to a malformed one.
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null))
    instance.all('/', (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw)
    })
  }
}
