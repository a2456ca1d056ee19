// What a sync on Temporal costs beside one in process: CPU time of Lectern, events of histories, and how long the site is
// still asked after a cancel. Store and index are the embedded ones on both sides, so that the runner alone differs.
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import type { LecternProcess } from '../e2e/lectern-process.ts'
import { openTemporal } from '../servers/temporal.ts'
import type { BenchOptions } from './bench-options.ts'
import { addProject, openLectern, sync } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { largeManuals } from './site/manuals.ts'
import { openManualSite, openSite } from './site/open-site.ts'
import { median, medianRow } from './statistics.ts'

/** No request may leave so long after the answer to a cancel, in milliseconds. */
const maxDelay = 3_000

export async function measureTemporal({ rounds }: BenchOptions): Promise<Table[]> {
  const temporal = await openTemporal()
  const client = new Client({ connection: Connection.lazy({ address: temporal.address }) })
  const env = { LECTERN_TEMPORAL_ADDRESS: temporal.address }
  try {
    return [...(await measureCosts(client, env, rounds)), await measureCancels(client, env, rounds)]
  } finally {
    await client.connection.close()
    await temporal.remove()
  }
}

async function measureCosts(client: Client, env: Record<string, string>, rounds: number): Promise<Table[]> {
  const site = await openManualSite()
  const [rows, targets]: Table['rows'][] = [[], []]
  try {
    for (const { name } of largeManuals) {
      const runs = []
      for (let round = 0; round < rounds; round++) {
        const url = `${site.origin}/${name}/index.html`
        // Slugs differ by round: the server keeps the histories of all.
        const local = await syncOnce({}, url, `${name}-${round}-local`, async () => 0)
        const remote = await syncOnce(env, url, `${name}-${round}`, (slug) => historyLength(client, slug))
        runs.push({
          pages: remote.pages,
          'in process CPU s': local.cpu,
          'Temporal CPU s': remote.cpu,
          'in process s': local.seconds,
          'Temporal s': remote.seconds,
          'CPU ×': remote.cpu / local.cpu,
          events: remote.events,
        })
      }
      const figures = medianRow(runs)
      rows!.push({ manual: name, ...figures })
      const each = (figures.events / figures.pages) * 1_000
      targets!.push(
        toTarget(`${name}: CPU of a sync, × in process`, figures['CPU ×'], '≤', 1.1),
        toTarget(`${name}: history events per 1,000 pages`, each, '≤', 60),
      )
    }
  } finally {
    await site.close()
  }
  return [
    { title: 'Temporal: a full sync, beside one in process', rows: rows! },
    { title: 'Temporal: targets', rows: targets! },
  ]
}

/** `countEvents` is asked while Lectern's worker is still there to end the workflow. */
async function syncOnce(
  env: Record<string, string>,
  url: string,
  slug: string,
  countEvents: (slug: string) => Promise<number>,
) {
  const lectern = await openLectern({ env })
  try {
    await addProject(lectern, slug, { url, include: ['**.html'] })
    const { run, seconds, cpu } = await sync(lectern, slug)
    return { pages: run.pages.discovered!, seconds, cpu, events: await countEvents(slug) }
  } finally {
    await lectern.remove()
  }
}

/** Events of the newest execution of the project's sync. */
async function historyLength(client: Client, slug: string): Promise<number> {
  const handle = client.workflow.getHandle(`sync/${slug}`)
  await handle.result()
  return (await handle.describe()).historyLength
}

type Cancel = (lectern: LecternProcess, slug: string, run: string) => Promise<unknown>

async function measureCancels(client: Client, env: Record<string, string>, rounds: number): Promise<Table> {
  const ways: Record<string, Cancel> = {
    'the API': (lectern, slug, run) => lectern.call('POST', `/api/v2/projects/${slug}/sync/${run}/cancel/`),
    "Temporal's UI": (_, slug) => client.workflow.getHandle(`sync/${slug}`).cancel(),
    'deletion of the project': (lectern, slug) => lectern.call('DELETE', `/api/v2/projects/${slug}/`),
  }
  const site = await openSite([{ kind: 'tenfold', path: '/ten/', root: largeManuals[0]!.root }])
  const lectern = await openLectern({ env })
  const rows: Table['rows'] = []
  try {
    for (const [way, cancel] of Object.entries(ways)) {
      const delays: number[] = []
      for (let round = 0; round < rounds; round++) {
        const slug = `cancel-${rows.length}-${round}`
        await addProject(lectern, slug, { url: `${site.origin}/ten/index.html`, include: ['**.html'] })
        const { body: run } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`)
        await site.takeRequests()
        for (let asked = 0; asked < 50; asked += (await site.takeRequests()).length) await delay(500)
        await cancel(lectern, slug, run.uuid)
        const answeredAt = Date.now()
        await delay(maxDelay + 2_000)
        const last = (await site.takeRequests()).at(-1)?.at ?? answeredAt
        delays.push(Math.max(0, last - answeredAt))
      }
      const greatest = Math.max(...delays)
      rows.push({
        'ended by': way,
        'median ms': median(delays),
        ...toTarget('last request to the site after it, greatest ms', greatest, '≤', maxDelay),
      })
    }
  } finally {
    await lectern.remove()
    await site.close()
  }
  return { title: 'Temporal: how long the site is still asked', rows }
}
