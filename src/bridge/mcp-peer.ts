import type { Principal } from '../registry/principal.js'

/** Who is at the other end of a connection, or has sent a request. */
export interface McpPeer {
  /** Where it is: names it in quotas, where no principal does. */
  readonly address: string
  readonly principal?: Principal | undefined
}
