// Search attributes on a cluster, part of which does not know new ones for a minute: the run starts without them, and the
// next one with them again. A server on one machine, as in other tests, knows them at once.
import { ServiceError } from '@temporalio/client'
import { expect, test } from 'vitest'
import type { TemporalClient } from './client.ts'
import { createTemporalRuns } from './temporal-runs.ts'

const keyword = 2
const names = ['LecternProject', 'LecternRun', 'LecternTrigger']
const invalid = Object.assign(new Error('3 INVALID_ARGUMENT: no mapping defined for search attribute'), {
  ...{ code: 3, details: 'no mapping defined for search attribute', metadata: {} },
})

/** A cluster that rejects starts with the attributes for some time after they were added. */
function createCluster() {
  const started: boolean[] = []
  const added: string[] = []
  let refusals = 2
  const client = {
    options: { namespace: 'default' },
    connection: {
      operatorService: {
        addSearchAttributes: async ({ searchAttributes }: { searchAttributes: object }) =>
          added.push(...Object.entries(searchAttributes).map(([name, type]) => `${name} ${type}`)),
      },
    },
    workflow: {
      async start(_type: string, { typedSearchAttributes: attributes }: { typedSearchAttributes?: object }) {
        if (attributes && refusals-- > 0) throw new ServiceError('Failed to start', { cause: invalid })
        started.push(attributes !== undefined)
      },
    },
  }
  const temporal = { client, ask: (work: () => Promise<unknown>) => work() } as unknown as TemporalClient
  return { started, added, temporal }
}

test('starts a run without attributes that the server does not know yet, and the next one with them', async () => {
  const { started, added, temporal } = createCluster()
  const store = {
    projects: { byUuid: async () => ({ slug: 'docs' }) },
    runs: {
      get: async (_: string, uuid: string) => ({ uuid, fence: 1, trigger: 'api' }),
      holds: async () => true,
    },
  }
  const runs = createTemporalRuns(temporal, { store: store as never, report() {} })
  await runs.startSync({ uuid: 'r1', project: 'p' })
  await runs.startSync({ uuid: 'r2', project: 'p' })
  expect(started).toEqual([false, true])
  expect(added).toEqual(names.map((name) => `${name} ${keyword}`))
})
