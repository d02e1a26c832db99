export type { ArrangedInterceptor, InterceptorScope } from './interceptors/arrangement.js'
export { Logger, type LogMethod } from './interceptors/logger.js'
export { AttributeKey, type CallAttributes } from './registry/call-attributes.js'
export {
  JsonSchema,
  type JsonSchemaBuilder,
  type JsonSchemaDocument,
  type JsonSchemaSource,
  type SchemaInput,
  type SchemaOutput,
} from './registry/json-schema.js'
export { Principal, type PrincipalInit } from './registry/principal.js'
export type { ToolSource } from './registry/registered-tool.js'
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
export type { ToolDescriptor, ToolIcon } from './registry/tool-descriptor.js'
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
  RateLimitedError,
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
  type ValidationIssue,
} from './registry/tool-error.js'
export {
  type AskAnswer,
  type AskQuestion,
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
export { type ToolAdmission, ToolRegistry, type ToolRegistryOptions } from './registry/tool-registry.js'
export type { ToolRegistryChange, ToolRegistryListener } from './registry/tool-registry-listener.js'
export type { CallOptions } from './runtime/call-options.js'
export { currentCall } from './runtime/call-scope.js'
export type { MandatoryInterceptor, RuntimeOptions } from './runtime/runtime-settings.js'
export type { StartProblem, StartReport } from './runtime/tool-discovery.js'
export { ToolRuntime } from './runtime/tool-runtime.js'
export { toolRuntimeModule } from './runtime/tool-runtime-module.js'
