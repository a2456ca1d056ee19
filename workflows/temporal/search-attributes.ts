// What a person can search a project's runs by in Temporal's UI, where the server lets us add it: LecternProject (slug),
// LecternRun (uuid) and LecternTrigger.
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common'
import type { SyncInput } from './names.ts'
import type { TemporalClient } from './temporal-client.ts'

const project = defineSearchAttributeKey('LecternProject', 'KEYWORD')
const run = defineSearchAttributeKey('LecternRun', 'KEYWORD')
const trigger = defineSearchAttributeKey('LecternTrigger', 'KEYWORD')

/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD */
const keyword = 2

/**
 * Answers whether the namespace has the attributes, adding those that are missing. A server whose operator adds them (some
 * let nobody else) has them or has not; runs are then found by the id of their workflow.
 */
export async function hasSearchAttributes({ client, ask }: TemporalClient): Promise<boolean> {
  const { operatorService } = client.connection
  const { namespace } = client.options
  const wanted = [project, run, trigger].map(({ name }) => name)
  const list = async () => {
    const { customAttributes = {} } = await ask(() => operatorService.listSearchAttributes({ namespace }))
    return wanted.filter((name) => customAttributes?.[name] !== keyword)
  }
  const missing = await list()
  if (missing.length === 0) return true
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]))
  await ask(() => operatorService.addSearchAttributes({ namespace, searchAttributes }))
  return (await list()).length === 0
}

export function toSearchAttributes(sync: SyncInput): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: project, value: sync.slug },
    { key: run, value: sync.uuid },
    { key: trigger, value: sync.trigger },
  ])
}
