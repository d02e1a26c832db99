import { injectable } from 'inversify'
import {
  Content,
  JsonSchema,
  PromptDefinition,
  type PromptDefinitionProvider,
  PromptMessage,
  SchemaProperty,
} from 'toolwire'
import { PNG } from './media.js'

/** Prompts with and without arguments, with each kind of content, and one that asks. */
@injectable()
export class FixturePromptProvider implements PromptDefinitionProvider {
  provide() {
    return [
      PromptDefinition.builder()
        .name('test_simple_prompt')
        .description('A prompt without arguments')
        .template(() => 'This is a simple prompt for testing.')
        .build(),
      PromptDefinition.builder()
        .name('test_prompt_with_arguments')
        .description('A prompt with arguments, one of which completes')
        .parameterSchema(
          JsonSchema.object(
            {
              arg1: SchemaProperty.STRING.withDescription('First test argument'),
              arg2: SchemaProperty.STRING.withDescription('Second test argument'),
            },
            { required: ['arg1', 'arg2'] },
          ),
        )
        .complete('arg1', (typed) => ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)))
        .template(({ args }) => `Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)
        .build(),
      PromptDefinition.builder()
        .name('test_prompt_with_embedded_resource')
        .description('A prompt that brings a resource along')
        .parameterSchema(
          JsonSchema.object(
            { resourceUri: SchemaProperty.STRING.withDescription('URI of the resource') },
            { required: ['resourceUri'] },
          ),
        )
        .template(({ args: { resourceUri: uri } }) => [
          PromptMessage.user(
            Content.resource({ uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }),
          ),
          PromptMessage.user('Please process the embedded resource above.'),
        ])
        .build(),
      PromptDefinition.builder()
        .name('test_prompt_with_image')
        .description('A prompt with an image')
        .template(() => [
          PromptMessage.user(Content.image(PNG, 'image/png')),
          PromptMessage.user('Please analyze the image above.'),
        ])
        .build(),
      PromptDefinition.builder()
        .name('test_input_required_result_prompt')
        .description('A prompt that asks the user first')
        .template(async ({ ask }) => {
          const answer = await ask({
            key: 'user_context',
            message: 'What context should the prompt use?',
            schema: JsonSchema.object({ context: SchemaProperty.STRING }, { required: ['context'] }),
          })
          return `Use this context: ${answer.action === 'accept' ? answer.content.context : 'none'}`
        })
        .build(),
    ]
  }
}
