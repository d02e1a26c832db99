import { injectable } from 'inversify'
import { ToolDefinition, type ToolDefinitionProvider } from 'toolwire'

/** Tools whose schemas use what only some servers pass on. */
@injectable()
export class SchemaToolProvider implements ToolDefinitionProvider {
  provide() {
    return [
      ToolDefinition.builder()
        .name('json_schema_2020_12_tool')
        .description('Tool with JSON Schema 2020-12 features')
        .parameterSchema({
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          $defs: {
            address: {
              $anchor: 'addressDef',
              type: 'object',
              properties: { street: { type: 'string' }, city: { type: 'string' } },
            },
          },
          properties: {
            name: { type: 'string' },
            address: { $ref: '#/$defs/address' },
            contactMethod: { type: 'string', enum: ['phone', 'email'] },
            phone: { type: 'string' },
            email: { type: 'string' },
          },
          allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
          if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and no promise
          then: { required: ['phone'] },
          else: { required: ['email'] },
          additionalProperties: false,
        })
        .executor(({ args }) => args)
        .build(),
      ToolDefinition.builder()
        .name('test_x_mcp_header')
        .description('Has a parameter that clients send as an HTTP header too (SEP-2243)')
        .parameterSchema({
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            query: { type: 'string' },
          },
          required: ['region'],
        })
        .executor(({ args }) => `region=${args.region}`)
        .build(),
    ]
  }
}
