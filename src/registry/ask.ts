import type { AskCapability } from './ask-capability.js'
import type { JsonSchemaDocument, JsonSchemaSource, SchemaInput } from './json-schema.js'
import type { ToolContent } from './tool-execution-result.js'

interface Question {
  /**
   * Names the question in its call. Default: by the order of asking, which must then be the same in every round of a call
   * that asks more than once.
   */
  readonly key?: string
}

/** Asks the user to fill in a form (MCP form elicitation). */
export interface FormQuestion<Schema extends JsonSchemaSource = JsonSchemaSource> extends Question {
  readonly kind?: 'form'
  readonly message: string
  /** A flat object schema: its properties are strings, numbers, booleans, or choices. */
  readonly schema: Schema
}

/** Asks the user to open a page, for what must not pass through the client (MCP URL mode elicitation). */
export interface UrlQuestion extends Question {
  readonly kind: 'url'
  readonly message: string
  readonly url: string
}

/** Asks the client's model (MCP `CreateMessageRequest`, whose other parameters are passed on as they are). */
export interface SamplingQuestion extends Question {
  readonly kind: 'sampling'
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly content: ToolContent | readonly ToolContent[]
  }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: Readonly<Record<string, unknown>>
}

/** Asks which folders the client works in (MCP `roots/list`). */
export interface RootsQuestion extends Question {
  readonly kind: 'roots'
}

export type AskQuestion = FormQuestion | UrlQuestion | SamplingQuestion | RootsQuestion

/** A question on its way to whoever answers it: with its key, and a form's schema as a document. */
export type AskedQuestion = { readonly key: string } & (
  | (Omit<FormQuestion, 'key' | 'kind' | 'schema'> & {
      readonly kind: 'form'
      readonly schema: JsonSchemaDocument
    })
  | Omit<UrlQuestion, 'key'>
  | Omit<SamplingQuestion, 'key'>
  | Omit<RootsQuestion, 'key'>
)

/** What whoever is asked must be able to do, by the kind of the question. */
export const CAPABILITY_OF = {
  form: 'elicitation',
  url: 'elicitation.url',
  sampling: 'sampling',
  roots: 'roots',
} as const satisfies Record<AskedQuestion['kind'], AskCapability>

/** What the user did with a form: filled it in, said no, or closed it (MCP `ElicitResult`). */
export type FormAnswer<Content = Readonly<Record<string, unknown>>> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel' }

/** `accept`: the user agreed to open the page, not that anything is done there yet. */
export interface UrlAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
}

/** What the model said (MCP `CreateMessageResult`). */
export interface SamplingAnswer {
  readonly role: 'user' | 'assistant'
  readonly content: ToolContent | readonly ToolContent[]
  readonly model: string
  readonly stopReason?: string
}

export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[]
}

export type AskAnswer = FormAnswer | UrlAnswer | SamplingAnswer | RootsAnswer

/** What a question is answered with. */
export type AnswerTo<Q extends AskQuestion> = Q extends { readonly kind: 'url' }
  ? UrlAnswer
  : Q extends { readonly kind: 'sampling' }
    ? SamplingAnswer
    : Q extends { readonly kind: 'roots' }
      ? RootsAnswer
      : Q extends FormQuestion<infer Schema>
        ? FormAnswer<SchemaInput<Schema>>
        : AskAnswer

/** `ctx.ask`. */
export type Ask = <const Q extends AskQuestion>(question: Q) => Promise<AnswerTo<Q>>
