// The contract of the runs port on a real Temporal: one server, and one worker at a time.
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe } from 'vitest'
import { createTemporalClient } from '../../workflows/temporal/client.ts'
import { createTemporalRuns } from '../../workflows/temporal/temporal-runs.ts'
import { isMissing } from '../servers/backend.ts'
import { openTemporal, type TemporalServer } from '../servers/temporal.ts'
import { answerTimeout, openLabWorker } from '../servers/temporal-lab-worker.ts'
import { testRuns } from './runs.suite.ts'
import type { OpenRunsDriver } from './runs-lab.ts'

describe.skipIf(isMissing('temporal'))('with a worker', () => {
  let server: TemporalServer
  let client: Client
  beforeAll(async () => {
    server = await openTemporal()
    client = new Client({ connection: Connection.lazy({ address: server.address }) })
  })
  afterAll(async () => {
    await client.connection.close()
    await server.remove()
  })

  const open: OpenRunsDriver = async ({ data, store, report }) => {
    const address = { address: server.address, namespace: 'default', key: null }
    const runs = createTemporalRuns(createTemporalClient(address, answerTimeout), { store, report })
    const worker = await openLabWorker({ ...address, data, report })
    return {
      runs,
      async comeDue(project) {
        const scheduled = await store.projects.byUuid(project)
        const handle = client.schedule.getHandle(`schedule/${scheduled!.slug}`)
        // It rejects if there is no schedule.
        const found = await handle.describe().catch(() => null)
        if (found === null) return null
        await handle.trigger()
        return found.info.nextActionTimes[0]!
      },
      closeWorkers: () => worker.close(),
    }
  }
  testRuns('on Temporal', open)
})
