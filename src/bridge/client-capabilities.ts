import type { AskCapability } from '../registry/ask-capability.js'
import { isObject } from '../registry/json-value.js'

/** Whether a client with these MCP capabilities can be asked so. One that names no mode of elicitation has forms. */
export function supports(capabilities: unknown, capability: AskCapability): boolean {
  if (!isObject(capabilities)) return false
  const { elicitation, sampling, roots } = capabilities
  switch (capability) {
    case 'elicitation':
      return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
    case 'elicitation.url':
      return isObject(elicitation) && 'url' in elicitation
    case 'sampling':
      return isObject(sampling)
    case 'roots':
      return isObject(roots)
  }
}

/** The capabilities that a client lacks, as MCP names them in an error. */
export function requiredCapabilities(capability: AskCapability): Readonly<Record<string, unknown>> {
  switch (capability) {
    case 'elicitation':
      return { elicitation: { form: {} } }
    case 'elicitation.url':
      return { elicitation: { url: {} } }
    default:
      return { [capability]: {} }
  }
}
