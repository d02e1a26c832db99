export type { InterceptorScope } from './interceptors/arrangement.js'
export { Logger, type LogMethod } from './interceptors/logger.js'
export type { ArgumentAliases } from './registry/argument-aliases.js'
export type {
  ArgumentStep,
  ArgumentStepContext,
  ArgumentStepName,
  ArgumentSteps,
  ArgumentValidation,
  MutableArguments,
} from './registry/argument-steps.js'
export type {
  AnswerTo,
  Ask,
  AskAnswer,
  AskedQuestion,
  AskQuestion,
  FormAnswer,
  FormQuestion,
  RootsAnswer,
  RootsQuestion,
  SamplingAnswer,
  SamplingQuestion,
  UrlAnswer,
  UrlQuestion,
} from './registry/ask.js'
export type { AskCapability } from './registry/ask-capability.js'
export type { BoundParameters, ParameterSource } from './registry/bound-parameters.js'
export { AttributeKey, type CallAttributes } from './registry/call-attributes.js'
export { CallSuspension } from './registry/call-suspension.js'
export type { Completer, Completion, FilledArguments } from './registry/completion.js'
export { Content } from './registry/content.js'
export type { ContentAnnotations } from './registry/content-annotations.js'
export type { DefinitionKind } from './registry/definition-kind.js'
export type { DefinitionProvider, Definitions } from './registry/definition-provider.js'
export type { Admission, RegistryOptions } from './registry/definition-registry.js'
export type { Descriptor, ToolIcon } from './registry/descriptor.js'
export type { DetachedCall, DetachOptions } from './registry/detached-call.js'
export {
  JsonSchema,
  type JsonSchemaBuilder,
  type JsonSchemaDocument,
  type JsonSchemaSource,
  type SchemaInput,
  type SchemaOutput,
} from './registry/json-schema.js'
export { Principal, type PrincipalInit } from './registry/principal.js'
export type { PromptAnswer } from './registry/prompt-answer.js'
export {
  PromptDefinition,
  type PromptDefinitionBuilder,
  type PromptTemplate,
} from './registry/prompt-definition.js'
export { PromptDefinitionProvider, type PromptDefinitions } from './registry/prompt-definition-provider.js'
export type { PromptArgument, PromptDescriptor } from './registry/prompt-descriptor.js'
export { PromptMessage, type PromptMessages } from './registry/prompt-message.js'
export { PromptRegistry, type PromptRegistryListener } from './registry/prompt-registry.js'
export type { DefinitionSource } from './registry/registered-definition.js'
export type { RegistryChange } from './registry/registry-listeners.js'
export { ResourceContents } from './registry/resource-contents.js'
export {
  ResourceDefinition,
  type ResourceDefinitionBuilder,
  type ResourceReader,
} from './registry/resource-definition.js'
export {
  ResourceDefinitionProvider,
  type ResourceDefinitions,
} from './registry/resource-definition-provider.js'
export type { ResourceDescriptor } from './registry/resource-descriptor.js'
export { ResourceRegistry, type ResourceRegistryListener } from './registry/resource-registry.js'
export { SchemaError } from './registry/schema-error.js'
export type { NoArguments, UntypedArguments } from './registry/schema-inference.js'
export {
  type ArrayProperty,
  type BooleanProperty,
  type NumberProperty,
  SchemaProperty,
  type StringProperty,
  type ValueProperty,
} from './registry/schema-property.js'
export { ToolDefinition, type ToolDefinitionBuilder } from './registry/tool-definition.js'
export { type DefinitionFault, ToolDefinitionError } from './registry/tool-definition-error.js'
export type { ToolDefinitionChanges } from './registry/tool-definition-init.js'
export { ToolDefinitionProvider, type ToolDefinitions } from './registry/tool-definition-provider.js'
export type { ToolDescriptor } from './registry/tool-descriptor.js'
export {
  type AnyToolError,
  ApprovalDeniedError,
  ApprovalRequiredError,
  AskUnsupportedError,
  CircuitOpenError,
  DuplicateToolError,
  ForbiddenError,
  IdempotencyConflictError,
  InvalidArgumentsError,
  InvalidResultError,
  OverloadedError,
  PromptNotFoundError,
  RateLimitedError,
  ResourceNotFoundError,
  ShuttingDownError,
  ToolAbortedError,
  ToolError,
  type ToolErrorCode,
  type ToolErrorOptions,
  ToolExecutionError,
  ToolNotFoundError,
  type ToolOutcome,
  ToolTimeoutError,
  ToolUnavailableError,
  UnauthenticatedError,
  UpstreamError,
} from './registry/tool-error.js'
export {
  type CallKind,
  type LogLevel,
  type ToolCall,
  ToolExecutionContext,
} from './registry/tool-execution-context.js'
export {
  type ToolContent,
  ToolExecutionResult,
  type ToolFailure,
  type ToolSuccess,
  type ToolSuccessParts,
} from './registry/tool-execution-result.js'
export type { Returned, ToolExecutor } from './registry/tool-executor.js'
export { type Next, ToolInterceptor } from './registry/tool-interceptor.js'
export type { ToolAnnotations, ToolMetadata, ToolMetadataInit } from './registry/tool-metadata.js'
export {
  ToolRegistry,
  type ToolRegistryListener,
  type ToolRegistryOptions,
} from './registry/tool-registry.js'
export { UriTemplate } from './registry/uri-template.js'
export { MalformedUriError, UriTemplateError } from './registry/uri-template-error.js'
export type { UriTemplateVariables } from './registry/uri-template-variables.js'
export type { ValidationIssue } from './registry/validation-issue.js'
export type { Visibility } from './registry/visibility.js'
export type { PlannedStep } from './runtime/arguments/argument-plan.js'
export type { BatchedCall, BatchOptions, BatchResults } from './runtime/call-batch.js'
export type { CallOptions } from './runtime/call-options.js'
export { currentCall } from './runtime/call-scope.js'
export type { ExposureRule, VisibilityRule } from './runtime/catalog.js'
export type { StartProblem } from './runtime/discovery.js'
export type {
  ExplainedAlternative,
  ExplainedInterceptor,
  ExplainedMetadata,
  ToolExplanation,
} from './runtime/explanation.js'
export type { CompletionRequest } from './runtime/runtime-request.js'
export type { MandatoryInterceptor, RuntimeOptions } from './runtime/runtime-settings.js'
export type { StartReport } from './runtime/runtime-start.js'
export type { TaskState, TaskStatus } from './runtime/tasks/task-record.js'
export type { TaskOptions } from './runtime/tasks/task-settings.js'
export { ToolTask } from './runtime/tasks/tool-task.js'
export type { TaskCaller, ToolTasks } from './runtime/tasks/tool-tasks.js'
export { type ToolRoute, toolRoutes } from './runtime/tool-routes.js'
export { ToolRuntime } from './runtime/tool-runtime.js'
export { toolRuntimeModule } from './runtime/tool-runtime-module.js'
export { visibilityByTag } from './runtime/visibility-by-tag.js'
