import type { JsonSchema, SchemaInput } from './json-schema.js'
import { isObject, type JsonObject, type JsonValue } from './json-value.js'
import type { PromptArgument } from './prompt-descriptor.js'
import type { DefinitionFault } from './tool-definition-error.js'

/** The schema itself if all its properties can be strings, as MCP has the arguments of prompts; else what is wrong. */
export type StringArguments<Source> = [OtherArguments<SchemaInput<Source>>] extends [never]
  ? Source
  : { readonly 'arguments of prompts are strings': OtherArguments<SchemaInput<Source>> }

// Of a property that may be anything nothing can be said here; the definition is checked when it is built.
type OtherArguments<Input> = {
  [Name in keyof Input]-?: Extract<Input[Name], string> extends never
    ? unknown extends Input[Name]
      ? never
      : [Input[Name]] extends [never]
        ? never
        : Name
    : never
}[keyof Input]

/** The list that MCP has in place of a schema. */
export function promptArguments({ document }: JsonSchema): readonly PromptArgument[] {
  const required = Array.isArray(document.required) ? (document.required as readonly JsonValue[]) : []
  const list = propertiesOf(document).map(([name, property]) => {
    const { title, description, ...rest } = isObject(property) ? property : {}
    return Object.freeze({
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      required: required.includes(name) && !Object.hasOwn(rest, 'default'),
    })
  })
  return Object.freeze(list)
}

/** A property that no string fits could never be given. */
export function promptArgumentFaults({ document }: JsonSchema): readonly DefinitionFault[] {
  return propertiesOf(document)
    .filter(([, property]) => !isOfStrings(property))
    .map(([name]) => ({
      path: `inputSchema/properties/${name}`,
      message:
        'must be of type "string": the arguments of MCP prompts are strings, parse them in the template',
    }))
}

function isOfStrings(property: JsonValue): boolean {
  if (!isObject(property)) return property === true
  const { type, enum: choices, const: only } = property
  if (type !== undefined) return type === 'string'
  return Array.isArray(choices)
    ? choices.every((choice) => typeof choice === 'string')
    : typeof only === 'string'
}

function propertiesOf({ properties }: JsonObject): readonly (readonly [string, JsonValue])[] {
  return isObject(properties) ? Object.entries(properties as JsonObject) : []
}
