import type { DefinitionKind } from '../registry/definition-kind.js'

/** The part of a server that tells its client of a changed list: the same in SDK 1.x and 2.x. */
interface NotifyingServer {
  sendToolListChanged(): Promise<void>
  sendResourceListChanged(): Promise<void>
  sendPromptListChanged(): Promise<void>
}

/** Never throws, whatever has become of the client. */
export function tellListChanged(server: NotifyingServer, kind: DefinitionKind): void {
  const sent = {
    tool: () => server.sendToolListChanged(),
    resource: () => server.sendResourceListChanged(),
    prompt: () => server.sendPromptListChanged(),
  }[kind]()
  sent.catch(() => undefined)
}
