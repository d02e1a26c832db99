import { setTimeout as sleep } from 'node:timers/promises'
import { injectable } from 'inversify'
import {
  AttributeKey,
  JsonSchema,
  SchemaProperty,
  ToolDefinition,
  type ToolDefinitionProvider,
  ToolExecutionError,
  type ToolInterceptor,
} from 'toolwire'
import { nameForm, roots } from './questions.js'

const USER_NAME = new AttributeKey<string>('user name')

/** The suite answers with a member more than is asked for. */
const OPEN_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** Asks before the tool begins its work, and so before there is a task. */
const asksForName: ToolInterceptor = {
  name: 'asksForName',
  async beforeExecute({ ask, attributes }) {
    const answer = await ask(nameForm('user_name', 'What is your name?'))
    attributes.set(USER_NAME, answer.action === 'accept' ? answer.content.name : 'nobody')
  },
}

/** Tools that go on as tasks (extension `io.modelcontextprotocol/tasks`), and one that does not. */
@injectable()
export class TaskToolProvider implements ToolDefinitionProvider {
  provide() {
    return [
      ToolDefinition.builder()
        .name('greet')
        .description('Greets at once')
        .parameterSchema(JsonSchema.object({ name: SchemaProperty.STRING }, { required: ['name'] }))
        .executor(({ args }) => `Hello, ${args.name}!`)
        .build(),
      ToolDefinition.builder()
        .name('slow_compute')
        .description('Takes as long as it is told to')
        .parameterSchema(
          JsonSchema.object(
            { seconds: SchemaProperty.NUMBER, label: SchemaProperty.STRING },
            { required: ['seconds'] },
          ),
        )
        .metadata({ task: 'optional', timeoutMs: 120_000 })
        .executor(async ({ args, signal }) => {
          await sleep(args.seconds * 1_000, undefined, { signal })
          return `Computed for ${args.seconds} s`
        })
        .build(),
      ToolDefinition.builder()
        .name('failing_job')
        .description('Fails after a second')
        .metadata({ task: 'required' })
        .executor(async ({ signal }) => {
          await sleep(1_000, undefined, { signal })
          throw new ToolExecutionError('The job has failed')
        })
        .build(),
      ToolDefinition.builder()
        .name('protocol_error_job')
        .description('Asks for what the client of the suite does not have: the request fails, not the tool')
        .metadata({ task: 'optional' })
        .executor(async ({ ask }) => JSON.stringify(await ask(roots('client_roots'))))
        .build(),
      ToolDefinition.builder()
        .name('confirm_delete')
        .description('Asks whether it should')
        .parameterSchema(JsonSchema.object({ filename: SchemaProperty.STRING }, { required: ['filename'] }))
        .metadata({ task: 'optional' })
        .executor(async ({ args, ask }) => {
          const schema = JsonSchema.object({ confirm: SchemaProperty.BOOLEAN }, { required: ['confirm'] })
          const answer = await ask({ key: 'confirm', message: `Delete ${args.filename}?`, schema })
          return answer.action === 'accept' && answer.content.confirm ? 'Deleted' : 'Not deleted'
        })
        .build(),
      ToolDefinition.builder()
        .name('multi_input')
        .description('Asks two things at once')
        .metadata({ task: 'optional' })
        .executor(async ({ ask }) => {
          const [first, second] = await Promise.all([
            ask({ key: 'first', message: 'What is the first name?', schema: OPEN_FORM }),
            ask({ key: 'second', message: 'What is the second name?', schema: OPEN_FORM }),
          ])
          return `${first.action}, ${second.action}`
        })
        .build(),
      ToolDefinition.builder()
        .name('test_tool_with_task')
        .description('Asks, and then goes on as a task')
        .metadata({ task: 'required' })
        .withInterceptor(asksForName)
        .executor(({ attributes }) => `Hello, ${attributes.get(USER_NAME)}!`)
        .build(),
    ]
  }
}
