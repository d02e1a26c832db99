import { injectable } from 'inversify'
import { ResourceDefinition, type ResourceDefinitionProvider } from 'toolwire'
import { PNG } from './media.js'

/** Text, bytes, a template, and a resource to follow. */
@injectable()
export class FixtureResourceProvider implements ResourceDefinitionProvider {
  provide() {
    return [
      ResourceDefinition.builder()
        .name('static-text')
        .description('A text that stays the same')
        .uri('test://static-text')
        .mimeType('text/plain')
        .reader(() => 'This is the content of the static text resource.')
        .build(),
      ResourceDefinition.builder()
        .name('static-binary')
        .description('An image that stays the same')
        .uri('test://static-binary')
        .mimeType('image/png')
        .reader(() => Buffer.from(PNG, 'base64'))
        .build(),
      ResourceDefinition.builder()
        .name('watched-resource')
        .description('A text that clients follow')
        .uri('test://watched-resource')
        .mimeType('text/plain')
        .reader(() => 'Watched resource content')
        .build(),
      ResourceDefinition.builder()
        .name('template-resource')
        .description('Data by id')
        .uriTemplate('test://template/{id}/data')
        .mimeType('application/json')
        .reader(({ args: { id } }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }))
        .build(),
    ]
  }
}
