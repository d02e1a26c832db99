import 'reflect-metadata'
import { Container } from 'inversify'
import {
  PromptDefinition,
  PromptDefinitionProvider,
  ResourceDefinitionProvider,
  ToolDefinition,
  ToolDefinitionProvider,
  ToolRuntime,
  toolRuntimeModule,
} from 'toolwire'
import { changingPrompt, changingTool } from './changing-definitions.js'
import { FixturePromptProvider } from './prompts.js'
import { FixtureResourceProvider } from './resources.js'
import { AskingToolProvider } from './tools-asking.js'
import { ChangingToolProvider } from './tools-changing.js'
import { ContentToolProvider } from './tools-content.js'
import { ReportingToolProvider } from './tools-reporting.js'
import { RoundToolProvider } from './tools-rounds.js'
import { SchemaToolProvider } from './tools-schemas.js'
import { TaskToolProvider } from './tools-tasks.js'

/** Everything that the scenarios of the conformance suite ask for, wired as an application would wire its own. */
export function conformanceRuntime(): ToolRuntime {
  const container = new Container()
  container.load(toolRuntimeModule({ logLevel: 'warn' }))
  for (const Tools of [
    ContentToolProvider,
    ReportingToolProvider,
    AskingToolProvider,
    RoundToolProvider,
    SchemaToolProvider,
    TaskToolProvider,
    ChangingToolProvider,
  ]) {
    container.bind<ToolDefinitionProvider>(ToolDefinitionProvider).to(Tools).inSingletonScope()
  }
  container.bind(ResourceDefinitionProvider).to(FixtureResourceProvider).inSingletonScope()
  container.bind(PromptDefinitionProvider).to(FixturePromptProvider).inSingletonScope()
  container.bind(ToolDefinition).toConstantValue(changingTool(1))
  container.bind(PromptDefinition).toConstantValue(changingPrompt(1))
  return container.get(ToolRuntime)
}
