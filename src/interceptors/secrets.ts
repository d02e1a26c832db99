/** What stands in a log where a secret was. */
export const REDACTED = '[redacted]'

/** Says whether what goes by this name is secret. */
export type IsSecretName = (name: string) => boolean

/** Endings, since what comes before says whose it is: `dbPassword`, `GITHUB_TOKEN`, `x-api-key`. */
const SECRET_ENDINGS: readonly string[] = [
  'password',
  'passwords',
  'passwordhash',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'secrets',
  'token',
  'tokens',
  'jwt',
  'bearer',
  'apikey',
  'authkey',
  'accesskey',
  'secretkey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'auth',
  'authorization',
  'cookie',
  'cookies',
  'credential',
  'credentials',
  'connectionstring',
  'signature',
  'sig',
]

/** Of a longer name, which somebody made up to cost us time, the end counts. */
const MAX_NAME_LENGTH = 100

/** Case, separators and a number at the end do not count. `names` are more names, each taken as a whole. */
export function secretNames(names: Iterable<string> = []): IsSecretName {
  const own = new Set<string>()
  for (const name of names) {
    const bare = typeof name === 'string' ? bareName(name) : ''
    if (bare === '')
      throw new TypeError(`redact.names must be names of members (got ${JSON.stringify(name)})`)
    own.add(bare)
  }
  return (name) => {
    const bare = bareName(name.slice(-MAX_NAME_LENGTH))
    if (own.has(bare)) return true
    const unnumbered = bare.replace(/\d{1,3}$/, '')
    return SECRET_ENDINGS.some((ending) => unnumbered.endsWith(ending))
  }
}

function bareName(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]/g, '')
}

// A text may be made to keep a regular expression busy. These are linear: a match starts at the border of a word or at a
// fixed text, and what it then runs through either ends the match or is bounded.
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/gs
const URL_CREDENTIALS = /:\/\/[^\s/?#"<>`]*@/g
const BEARER = /(?<![\w-])(bearer)(\s{1,4})[^\s"',;]+/gi
const BASIC = /(?<![\w-])([Bb]asic)(\s{1,4})(?=[a-z]{0,60}[A-Z\d+/=])[\w+/-]+={0,2}/g
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)*/g
const ISSUED_TOKEN =
  /(?<![\w-])(?:sk-|[rs]k_live_|gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|AKIA|AIza)[\w-]{16,}/g

/** The text without the secrets that can be told by their shape, or by the name that the text gives them. */
export function maskSecrets(text: string, isSecretName: IsSecretName): string {
  return maskAssigned(text.replace(PRIVATE_KEY, REDACTED), isSecretName)
    .replace(URL_CREDENTIALS, `://${REDACTED}@`)
    .replace(BEARER, `$1$2${REDACTED}`)
    .replace(BASIC, `$1$2${REDACTED}`)
    .replace(JSON_WEB_TOKEN, REDACTED)
    .replace(ISSUED_TOKEN, REDACTED)
}

const NAME_AND_SIGN = /(?<![\w-])([\w-]{2,80})\\{0,3}["']?\s{0,4}[:=]\s{0,4}/g
/** Quoted, as JSON, in JSON that is itself a string; or bare, as in a header or a query. */
const ASSIGNED =
  /\\{1,3}["'][^"']*["']?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|(?:(?:bearer|basic|digest|token|negotiate)\s{1,4})?[^\s,;&"'<>#]+/isy

/** Masks the value in `password=…`, `"apiKey": "…"`, `?access_token=…`, `Authorization: Basic …`. */
function maskAssigned(text: string, isSecretName: IsSecretName): string {
  let masked = ''
  let done = 0
  for (const { 0: start, 1: name = '', index } of text.matchAll(NAME_AND_SIGN)) {
    // A name in the value of a secret is part of the secret.
    if (index < done || !isSecretName(name)) continue
    const valueAt = index + start.length
    ASSIGNED.lastIndex = valueAt
    const value = ASSIGNED.exec(text)?.[0]
    if (value === undefined) continue
    const quote = /^\\{0,3}["']/.exec(value)?.[0] ?? ''
    masked += text.slice(done, valueAt) + quote + REDACTED + quote
    done = valueAt + value.length
  }
  return masked + text.slice(done)
}
