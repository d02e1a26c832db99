import type { Principal } from '../../registry/principal.js'

/** Says whose an access token is. */
export interface TokenVerifier {
  /**
   * Resolves to the caller. Rejects with an `UnauthenticatedError` if the token is not one to accept: forged, expired,
   * or meant for somebody else. Anything else that it rejects with means that it cannot tell now: the client is asked
   * to come back later. `signal` aborts when nobody waits for it any more.
   */
  verify(token: string, options: { readonly signal: AbortSignal }): Promise<Principal>
}
