import { describe } from 'vitest'
import { contractTest, type StoreUnderTest } from './contract/contract-test.js'
import { describeKeysAndOptions } from './contract/keys-and-options.js'
import { describeLeases } from './contract/leases.js'
import { describeValues } from './contract/values.js'
import { describeVersions } from './contract/versions.js'
import { describeWindowModel } from './contract/window-model.js'
import { describeWindows } from './contract/windows.js'

export interface StoreContractOptions {
  /**
   * How many ms a store on real time may be off. Above 0 the comparison of windows with a model is left out, which
   * needs a clock that stands still between two calls. @default 0
   */
  readonly slackMs?: number
}

/** Everything that `Store` promises. `create` is called for each test; keys of one test may be left over in the next. */
export function describeStoreContract(
  name: string,
  create: () => StoreUnderTest | Promise<StoreUnderTest>,
  { slackMs = 0 }: StoreContractOptions = {},
): void {
  const it = contractTest(create, slackMs)
  describe(`${name} keeps the contract of a store`, () => {
    describeValues(it)
    describeVersions(it)
    describeWindows(it)
    if (slackMs === 0) describeWindowModel(it)
    describeLeases(it)
    describeKeysAndOptions(it)
  })
}
