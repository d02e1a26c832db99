import { injectable } from 'inversify'
import {
  type FormAnswer,
  JsonSchema,
  type SamplingAnswer,
  SchemaProperty,
  ToolDefinition,
  type ToolDefinitionProvider,
} from 'toolwire'

/** Tools that ask the client while they run (revisions up to 2025-11-25). */
@injectable()
export class AskingToolProvider implements ToolDefinitionProvider {
  provide() {
    return [
      ToolDefinition.builder()
        .name('test_sampling')
        .description('Asks the model of the client')
        .parameterSchema(JsonSchema.object({ prompt: SchemaProperty.STRING }, { required: ['prompt'] }))
        .executor(async ({ args, ask }) => {
          const messages = [{ role: 'user', content: { type: 'text', text: args.prompt } }] as const
          return `LLM response: ${textOf(await ask({ kind: 'sampling', messages, maxTokens: 100 }))}`
        })
        .build(),
      ToolDefinition.builder()
        .name('test_elicitation')
        .description('Asks the user')
        .parameterSchema(JsonSchema.object({ message: SchemaProperty.STRING }, { required: ['message'] }))
        .executor(async ({ args, ask }) =>
          told(
            await ask({
              message: args.message,
              schema: JsonSchema.object(
                {
                  username: SchemaProperty.STRING.withDescription("User's response"),
                  email: SchemaProperty.STRING.withDescription("User's email address"),
                },
                { required: ['username', 'email'] },
              ),
            }),
          ),
        )
        .build(),
      ToolDefinition.builder()
        .name('test_elicitation_sep1034_defaults')
        .description('Asks with a default for each type of field')
        .executor(async ({ ask }) =>
          told(await ask({ message: 'Please check what is filled in', schema: DEFAULTS })),
        )
        .build(),
      ToolDefinition.builder()
        .name('test_elicitation_sep1330_enums')
        .description('Asks with each form of a choice')
        .executor(async ({ ask }) => told(await ask({ message: 'Please choose', schema: CHOICES })))
        .build(),
    ]
  }
}

/** SEP-1034. */
const DEFAULTS = JsonSchema.object({
  name: SchemaProperty.STRING.withDefault('John Doe'),
  age: SchemaProperty.INTEGER.withDefault(30),
  score: SchemaProperty.NUMBER.withDefault(95.5),
  status: SchemaProperty.STRING.withEnum('active', 'inactive', 'pending').withDefault('active'),
  verified: SchemaProperty.BOOLEAN.withDefault(true),
})

/** SEP-1330. */
const CHOICES = JsonSchema.object({
  untitledSingle: SchemaProperty.STRING.withEnum('option1', 'option2', 'option3'),
  titledSingle: SchemaProperty.raw({ type: 'string', oneOf: titled('First', 'Second', 'Third') }),
  legacyEnum: SchemaProperty.raw({
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  }),
  untitledMulti: SchemaProperty.array(SchemaProperty.STRING.withEnum('option1', 'option2', 'option3')),
  titledMulti: SchemaProperty.raw({ type: 'array', items: { anyOf: titled('First', 'Second', 'Third') } }),
})

function titled(...ordinals: readonly string[]) {
  return ordinals.map((ordinal, index) => ({ const: `value${index + 1}`, title: `${ordinal} Option` }))
}

function told(answer: FormAnswer): string {
  const content = answer.action === 'accept' ? answer.content : {}
  return `The user's response: action=${answer.action}, content=${JSON.stringify(content)}`
}

function textOf({ content }: SamplingAnswer): string {
  return [content]
    .flat()
    .map((block) => ('text' in block ? String(block.text) : `(${block.type})`))
    .join(' ')
}
