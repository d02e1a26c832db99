import { type JsonValue, setMember } from '../registry/json-value.js'
import type { ClientRound } from './mcp-request.js'
import type { RoundState } from './request-state.js'

type Answers = Readonly<Record<string, JsonValue>>

/**
 * The answers that a round of a call begins with: those of the rounds before it, and what its client sends. Of that, what was
 * not asked for is ignored (MCP 2026-07-28 "Multi Round-Trip Requests", Error Handling).
 *
 * A first request may bring answers too: no rule forbids it, and the retry of a call that keeps no state has the same form.
 * They are the client's word as any other answer is, checked against the question, and spare it a round.
 */
export class RoundAnswers {
  /** One that a first request brings is there when it is asked for. */
  readonly all: Answers
  readonly #kept: Record<string, JsonValue>

  constructor(
    { answers, asked }: Pick<RoundState, 'answers' | 'asked'>,
    inputResponses: ClientRound['inputResponses'] = {},
    { isFirst }: { readonly isFirst: boolean },
  ) {
    this.#kept = { ...answers }
    // They came as JSON.
    const sent = Object.entries(inputResponses) as [string, JsonValue][]
    for (const [key, answer] of sent) if (asked.includes(key)) setMember(this.#kept, key, answer)
    this.all = isFirst ? this.#whenAsked(sent) : this.#kept
  }

  /** What the next round needs: not what nobody asked for. */
  get kept(): Answers {
    return this.#kept
  }

  #whenAsked(sent: readonly [string, JsonValue][]): Answers {
    const get = (key: string, answer: JsonValue) => () => {
      setMember(this.#kept, key, answer)
      return answer
    }
    const answers = sent.map(([key, answer]) => [key, { enumerable: true, get: get(key, answer) }])
    return Object.defineProperties({}, Object.fromEntries(answers))
  }
}
