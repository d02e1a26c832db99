import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../registry/awaitable.js'
import type { Principal } from '../registry/principal.js'
import type { HttpArrival } from './http-arrival.js'

/** The part of a Fastify instance that the plugin uses, so that Fastify's types are not needed without Fastify. */
export interface FastifyLike {
  readonly prefix: string
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown
  all(
    path: string,
    handler: (
      request: FastifyRequestLike,
      reply: { readonly raw: ServerResponse; hijack(): unknown },
    ) => void,
  ): unknown
}

export interface FastifyRequestLike {
  readonly raw: IncomingMessage
  readonly headers: IncomingHttpHeaders
}

export interface FastifyOptions {
  /**
   * Who is calling, where the service has found it out, such as in an `onRequest` hook; `undefined`: nobody in
   * particular. Throws an `UnauthenticatedError` for 401.
   */
  principal?(request: FastifyRequestLike): Awaitable<Principal | undefined>
}

export type FastifyPlugin = (instance: FastifyLike) => Promise<void>

/** Mounts the bridge at the prefix that the plugin is registered with. Other routes keep their body parsers. */
export function fastifyPlugin(
  handle: (req: IncomingMessage, res: ServerResponse, identify: HttpArrival['identify']) => void,
  options: FastifyOptions,
): FastifyPlugin {
  return async (instance) => {
    // The host reads the body itself: its limit, and its answers to a malformed one.
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null))
    // The metadata of a resource is found under the resource's own path.
    const paths = instance.prefix.includes('/.well-known/') ? ['/', '/*'] : ['/']
    for (const path of paths) {
      instance.all(path, (request, reply) => {
        reply.hijack()
        handle(request.raw, reply.raw, options.principal && (() => options.principal?.(request)))
      })
    }
  }
}
