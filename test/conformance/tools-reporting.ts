import { setTimeout as sleep } from 'node:timers/promises'
import { injectable } from 'inversify'
import { JsonSchema, SchemaProperty, ToolDefinition, type ToolDefinitionProvider } from 'toolwire'
import { CLOSE_STREAM_AFTER_MS } from './close-stream-after.js'

const STEP_MS = 50

/** Tools that take their time, and say meanwhile how far they are. */
@injectable()
export class ReportingToolProvider implements ToolDefinitionProvider {
  provide() {
    return [
      ToolDefinition.builder()
        .name('test_tool_with_logging')
        .description('Sends three log lines')
        .executor(async ({ log, signal }) => {
          for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
            log('info', line)
            await sleep(STEP_MS, undefined, { signal })
          }
          return 'Logged three lines'
        })
        .build(),
      ToolDefinition.builder()
        .name('test_logging_tool')
        .description('Sends a log line, to a client that wants it')
        .executor(({ log }) => {
          log('info', 'The tool runs')
          return 'Logged one line'
        })
        .build(),
      ToolDefinition.builder()
        .name('test_tool_with_progress')
        .description('Reports its progress')
        .executor(async ({ progress, signal }) => {
          for (const done of [0, 50, 100]) {
            progress(done, 100)
            await sleep(STEP_MS, undefined, { signal })
          }
          return 'Reported the progress'
        })
        .build(),
      ToolDefinition.builder()
        .name('test_streaming_elicitation')
        .description('Reports progress, then asks')
        .executor(async ({ progress, ask }) => {
          progress(1)
          const answer = await ask({
            message: 'Shall it go on?',
            schema: JsonSchema.object({ ok: SchemaProperty.BOOLEAN }, { required: ['ok'] }),
          })
          return `The user said ${answer.action}`
        })
        .build(),
      ToolDefinition.builder()
        .name('test_reconnection')
        .description('Runs for longer than its response stream stays open')
        .executor(async ({ signal }) => {
          await sleep(2 * CLOSE_STREAM_AFTER_MS, undefined, { signal })
          return 'Reconnection test completed successfully'
        })
        .build(),
    ]
  }
}
