import { inject, injectable } from 'inversify'
import { PromptRegistry, ToolDefinition, type ToolDefinitionProvider, ToolRegistry } from 'toolwire'
import { changingPrompt, changingTool } from './changing-definitions.js'

/** Tools that change a list, so that its clients hear of it. */
@injectable()
export class ChangingToolProvider implements ToolDefinitionProvider {
  #version = 1

  constructor(
    @inject(ToolRegistry) private readonly tools: ToolRegistry,
    @inject(PromptRegistry) private readonly prompts: PromptRegistry,
  ) {}

  provide() {
    return [
      ToolDefinition.builder()
        .name('test_trigger_tool_change')
        .description('Changes the list of tools')
        .executor(() => {
          this.tools.replace(changingTool(++this.#version))
          return 'Changed the list of tools'
        })
        .build(),
      ToolDefinition.builder()
        .name('test_trigger_prompt_change')
        .description('Changes the list of prompts')
        .executor(() => {
          this.prompts.replace(changingPrompt(++this.#version))
          return 'Changed the list of prompts'
        })
        .build(),
    ]
  }
}
