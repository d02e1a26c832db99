import { injectable } from 'inversify'
import {
  AskUnsupportedError,
  JsonSchema,
  SchemaProperty,
  ToolDefinition,
  type ToolDefinitionProvider,
} from 'toolwire'
import { nameForm, roots, sampling } from './questions.js'

/** Tools whose calls take several rounds (from 2026-07-28). The suite knows the questions by their keys. */
@injectable()
export class RoundToolProvider implements ToolDefinitionProvider {
  provide() {
    return [
      ToolDefinition.builder()
        .name('test_input_required_result_elicitation')
        .description('Greets the user by the name that it asks for')
        .executor(async ({ ask }) => {
          const answer = await ask(nameForm('user_name', 'What is your name?'))
          return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'The user did not say'
        })
        .build(),
      ToolDefinition.builder()
        .name('test_input_required_result_sampling')
        .description('Tells what the model of the client knows')
        .executor(async ({ ask }) => {
          const { content } = await ask(sampling('capital_question', 'What is the capital of France?', 100))
          return JSON.stringify(content)
        })
        .build(),
      ToolDefinition.builder()
        .name('test_input_required_result_list_roots')
        .description('Tells the folders of the client')
        .executor(async ({ ask }) => {
          const answer = await ask(roots('client_roots'))
          return `Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`
        })
        .build(),
      ToolDefinition.builder()
        .name('test_input_required_result_multiple_inputs')
        .description('Asks three things at once')
        .executor(async ({ ask }) => {
          const [name, greeting, { roots: folders }] = await Promise.all([
            ask(nameForm('user_name', 'What is your name?')),
            ask(sampling('greeting', 'Generate a greeting', 50)),
            ask(roots('client_roots')),
          ])
          return `${JSON.stringify(greeting.content)} (${name.action}, ${folders.length} roots)`
        })
        .build(),
      ToolDefinition.builder()
        .name('test_input_required_result_multi_round')
        .description('Asks one thing after the other')
        .executor(async ({ ask }) => {
          const name = await ask(nameForm('step1', 'Step 1: What is your name?'))
          const color = await ask({
            key: 'step2',
            message: 'Step 2: What is your favorite color?',
            schema: JsonSchema.object({ color: SchemaProperty.STRING }, { required: ['color'] }),
          })
          if (name.action !== 'accept' || color.action !== 'accept') return 'The user did not say'
          return `${name.content.name} likes ${color.content.color}`
        })
        .build(),
      ...['test_input_required_result_request_state', 'test_input_required_result_tampered_state'].map(
        confirming,
      ),
      ToolDefinition.builder()
        .name('test_input_required_result_capabilities')
        .description('Asks what the client can be asked')
        .executor(async ({ ask }) => {
          const answers = await Promise.all([
            ask(nameForm('user_name', 'What is your name?')).catch(unlessUnsupported),
            ask(sampling('greeting', 'Generate a greeting', 50)).catch(unlessUnsupported),
          ])
          return `${answers.filter((answer) => answer !== undefined).length} of 2 questions were answered`
        })
        .build(),
      ToolDefinition.builder()
        .name('test_missing_capability')
        .description('Cannot do without the model of the client')
        .executor(async ({ ask }) => JSON.stringify(await ask(sampling('thought', 'Think of something', 50))))
        .build(),
    ]
  }
}

function confirming(name: string) {
  return ToolDefinition.builder()
    .name(name)
    .description('Asks for a confirmation')
    .executor(async ({ ask }) => {
      const schema = JsonSchema.object({ ok: SchemaProperty.BOOLEAN }, { required: ['ok'] })
      const { action } = await ask({ key: 'confirm', message: 'Please confirm', schema })
      return `state-ok, ${action}`
    })
    .build()
}

function unlessUnsupported(error: unknown): undefined {
  if (!(error instanceof AskUnsupportedError)) throw error
}
