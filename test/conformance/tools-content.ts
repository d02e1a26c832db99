import { injectable } from 'inversify'
import {
  Content,
  ToolDefinition,
  type ToolDefinitionProvider,
  ToolExecutionError,
  ToolExecutionResult,
} from 'toolwire'
import { PNG, WAV } from './media.js'

/** Each kind of content that a tool can answer with. */
@injectable()
export class ContentToolProvider implements ToolDefinitionProvider {
  provide() {
    return [
      ToolDefinition.builder()
        .name('test_simple_text')
        .description('Answers with text')
        .executor(() => 'This is a simple text response for testing.')
        .build(),
      ToolDefinition.builder()
        .name('test_image_content')
        .description('Answers with an image')
        .executor(() => ToolExecutionResult.content(Content.image(PNG, 'image/png')))
        .build(),
      ToolDefinition.builder()
        .name('test_audio_content')
        .description('Answers with a sound')
        .executor(() => ToolExecutionResult.content(Content.audio(WAV, 'audio/wav')))
        .build(),
      ToolDefinition.builder()
        .name('test_embedded_resource')
        .description('Answers with the contents of a resource')
        .executor(() =>
          ToolExecutionResult.content(
            Content.resource({
              uri: 'test://embedded-resource',
              mimeType: 'text/plain',
              text: 'This is an embedded resource content.',
            }),
          ),
        )
        .build(),
      ToolDefinition.builder()
        .name('test_multiple_content_types')
        .description('Answers with text, an image and the contents of a resource')
        .executor(() =>
          ToolExecutionResult.content(
            Content.text('Multiple content types test:'),
            Content.image(PNG, 'image/png'),
            Content.resource({
              uri: 'test://mixed-content-resource',
              mimeType: 'application/json',
              text: JSON.stringify({ test: 'data', value: 123 }),
            }),
          ),
        )
        .build(),
      ToolDefinition.builder()
        .name('test_error_handling')
        .description('Always fails')
        .executor(() => {
          throw new ToolExecutionError('This tool intentionally returns an error for testing')
        })
        .build(),
    ]
  }
}
