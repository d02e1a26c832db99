import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, SignJWT } from 'jose'

export const AUDIENCE = 'https://api.example.com/mcp'

interface Key {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

interface TokenParts {
  readonly header?: Readonly<Record<string, unknown>>
  /** A claim that is `undefined` is left out. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly key?: Key
}

/** An issuer of tokens with its keys at a real URL. Dispose of it. */
export class Issuer implements AsyncDisposable {
  readonly #server: Server
  #keys: readonly Key[] = []
  #lastKid = 0
  /** How often it was asked for its keys. */
  asked = 0
  /** Whether it answers 500 instead. */
  isDown = false
  /** What it answers instead of its keys. */
  answer: string | undefined

  static async start(): Promise<Issuer> {
    const issuer = new Issuer()
    await issuer.rotate()
    await new Promise<void>((resolve) => issuer.#server.listen(0, '127.0.0.1', resolve))
    return issuer
  }

  private constructor() {
    this.#server = createServer((_req, res) => {
      this.asked++
      res.writeHead(this.isDown ? 500 : 200, { 'content-type': 'application/json' })
      res.end(this.answer ?? JSON.stringify(this.isDown ? {} : this.jwks))
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get jwksUri(): string {
    return `${this.url}/jwks`
  }

  get jwks(): JSONWebKeySet {
    return { keys: this.#keys.map(({ publicJwk }) => publicJwk) }
  }

  /** The key that tokens are signed with. */
  get key(): Key {
    const key = this.#keys.at(-1)
    if (key === undefined) throw new Error('The issuer has no key')
    return key
  }

  /** A new key; the previous ones are published for as long as they are kept. */
  async rotate({ keep = 0 }: { readonly keep?: number } = {}): Promise<void> {
    this.#keys = [...this.#keys.slice(this.#keys.length - keep), await newKey(`key-${++this.#lastKid}`)]
  }

  /** A token that is in order, but for what is asked for. */
  async token({ header = {}, claims = {}, key = this.key }: TokenParts = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000)
    const all = { iss: this.url, aud: AUDIENCE, sub: 'alice', iat: now, exp: now + 300, ...claims }
    return new SignJWT(withoutUndefined(all))
      .setProtectedHeader(
        withoutUndefined({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header }) as { alg: string },
      )
      .sign(key.privateKey)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export async function newKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } }
}

function withoutUndefined(members: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(members))
}
