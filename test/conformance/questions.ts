import {
  type FormQuestion,
  JsonSchema,
  type RootsQuestion,
  type SamplingQuestion,
  SchemaProperty,
} from 'toolwire'

const NAME = JsonSchema.object({ name: SchemaProperty.STRING }, { required: ['name'] })

export function nameForm(key: string, message: string): FormQuestion<typeof NAME> {
  return { key, message, schema: NAME }
}

export function sampling(key: string, text: string, maxTokens: number): SamplingQuestion {
  return { key, kind: 'sampling', messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens }
}

export function roots(key: string): RootsQuestion {
  return { key, kind: 'roots' }
}
