// A worker on the embedded store and index of a data folder, as composed in app/; in this process, or in a separate
// one that kills itself: `node temporal-lab-worker.ts <address> <namespace> <data folder> <doom>`.
import { randomUUID } from 'node:crypto'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { openIndex, openStore } from '../../services/drivers.ts'
import { createCredentialKeeper } from '../../services/source/credentials.ts'
import type { Store } from '../../services/store/store.ts'
import { startScheduled } from '../../services/sync/start-run.ts'
import { openParsePool } from '../../workflows/parse/parse-pool.ts'
import { createTemporalClient } from '../../workflows/temporal/client.ts'
import { createTemporalRuns } from '../../workflows/temporal/temporal-runs.ts'
import { openTemporalWorker } from '../../workflows/temporal/worker.ts'
import { type Doom, doomed } from './doom.ts'

interface LabWorkerOptions {
  address: string
  namespace: string
  data: string
  report(error: unknown): void
  /** Wraps the worker's store. */
  wrap?(store: Store): Store
}

/** Milliseconds. On a busy machine Temporal can take seconds. Timeouts of callers are tested in faults-temporal.test.ts. */
export const answerTimeout = 60_000

/** Resolves when the worker polls for work. */
export async function openLabWorker(options: LabWorkerOptions): Promise<{ close(): Promise<void> }> {
  const { address, namespace, data, report, wrap = (store) => store } = options
  const store = wrap(await openStore({ data }))
  const index = await openIndex({ data })
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1'), timeoutMs: 300_000 })
  const parsePool = openParsePool(1)
  const server = { address, namespace, key: null }
  const runs = createTemporalRuns(createTemporalClient(server, answerTimeout), { store, report })
  const now = () => new Date()
  const worker = openTemporalWorker({
    ...server,
    ...{ store, index, fetcher, parsePool, runs, now, report, pageLimit: null, addressLimit: 100_000 },
    base: 'http://127.0.0.1',
    credentials: createCredentialKeeper(Buffer.alloc(32, 1)),
    startScheduled: (project) => startScheduled({ store, runs, now, newUuid: randomUUID }, project),
  })
  await worker.started
  return {
    async close() {
      await worker.close()
      await runs.close()
      await parsePool.close()
      await fetcher.close()
      await index.close()
      await store.close()
    },
  }
}

if (import.meta.main) {
  const [address, namespace, data, doom] = process.argv.slice(2) as [string, string, string, string]
  const report = (error: unknown) => console.error(error)
  const wrap = (store: Store) => doomed(store, JSON.parse(doom) as Doom)
  await openLabWorker({ address, namespace, data, report, wrap })
}
