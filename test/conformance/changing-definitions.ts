import { PromptDefinition, ToolDefinition } from 'toolwire'

/** Each version differs from the last, so that replacing one by the next changes the list of tools. */
export function changingTool(version: number) {
  return ToolDefinition.builder()
    .name('changing_tool')
    .description(`Changes, version ${version}`)
    .executor(() => version)
    .build()
}

/** The same for the list of prompts. */
export function changingPrompt(version: number) {
  return PromptDefinition.builder()
    .name('changing_prompt')
    .description(`Changes, version ${version}`)
    .template(() => `Version ${version}`)
    .build()
}
