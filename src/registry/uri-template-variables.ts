import type { NoArguments } from './schema-inference.js'

/**
 * The values of a URI template by variable, read off its text: `'docs://{name}{?page}'` gives
 * `{ readonly name: string; readonly page?: string }`. Of a text that only the running program knows: any names.
 */
export type UriTemplateVariables<Template extends string> = Template extends string
  ? string extends Template
    ? Readonly<Record<string, string>>
    : Values<PathNames<Template>, QueryNames<Template>>
  : never

// Written out once here, as `ObjectInput` is: an alias for it would be what an editor shows in place of the object.
type Values<Path extends string, Query extends string> = [Path | Query] extends [never]
  ? NoArguments
  : { readonly [Name in Path]: string } & { readonly [Name in Query]?: string } extends infer Object
    ? { [Name in keyof Object]: Object[Name] }
    : never

type PathNames<
  Template,
  Found extends string = never,
> = Template extends `${string}{${infer Inner}}${infer Rest}`
  ? PathNames<
      Rest,
      Found | (Inner extends `?${string}` ? never : Inner extends `+${infer Name}` ? Name : Inner)
    >
  : Found

type QueryNames<
  Template,
  Found extends string = never,
> = Template extends `${string}{${infer Inner}}${infer Rest}`
  ? QueryNames<Rest, Found | (Inner extends `?${infer List}` ? Listed<List> : never)>
  : Found

type Listed<List extends string> = List extends `${infer Name},${infer Rest}` ? Name | Listed<Rest> : List
