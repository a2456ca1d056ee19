// kill -9 at seeded random moments of start-up, sync and recrawl; after each the full check (issue "Bad input").
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../services/main/drivers.ts'
import { createRandom } from '../fixtures/seeded-random.ts'
import { disagreements } from './agreement.ts'
import { type LecternProcess, runEnded, spawnLectern, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

const kills = 100
const pages = 150
const longestWait = 900

let site: Site
let data: string

/** Every round another part of the site has other words, and one page comes or goes. */
function writeSite(round: number) {
  const links = Array.from({ length: pages }, (_, at) => `/p${at}.html`)
  site.pages.set('/', htmlPage('Start', `Round ${round}`, links))
  for (let at = 0; at < pages; at++) {
    const edition = Math.floor((round + at) / 7)
    site.pages.set(`/p${at}.html`, htmlPage(`Page ${at}`, `Edition ${edition} of page number ${at}.`))
  }
  site.pages.delete(`/p${round % pages}.html`)
}

beforeAll(async () => {
  site = await openSite()
  data = await mkdtemp(join(tmpdir(), 'lectern-kill-'))
})

afterAll(async () => {
  await site.close()
  await rm(data, { recursive: true, force: true })
})

test(`${kills} kills lose nothing that was acknowledged`, { timeout: 30 * 60_000 }, async () => {
  const random = createRandom(20_261_121)
  const acknowledged = { runs: new Set<string>(), recrawls: new Set<string>() }
  writeSite(0)
  const project = await prepare()

  for (let round = 1; round <= kills; round++) {
    writeSite(round)
    const lectern = await spawnLectern({ data })
    const duringStart = random() < 0.2
    if (!duringStart) await lectern.ready
    const work = duringStart ? null : workOn(lectern, random, acknowledged)
    await delay(random() * longestWait)
    await lectern.kill()
    await work
    expect(await disagreements(data, [project]), `after kill ${round}`).toEqual([])
    await expectAcknowledged(project, acknowledged)
  }

  const lectern = await startLectern({ data })
  const { body: latest } = await lectern.call('GET', '/api/v2/projects/killed/sync/')
  const resumed = await runEnded(lectern, 'killed', latest.uuid)
  expect(['completed', 'cancelled']).toContain(resumed.status)
  const { body: run } = await lectern.call('POST', '/api/v2/projects/killed/sync/')
  const last = await runEnded(lectern, 'killed', run.uuid)
  expect(last.status).toBe('completed')
  expect(last.pages.pending).toBe(0)
  await lectern.kill('SIGTERM')
  expect(await disagreements(data, [project])).toEqual([])
})

/** A project that has been indexed once; answers its uuid. */
async function prepare(): Promise<string> {
  const lectern = await startLectern({ data })
  const { body: project } = await lectern.call('POST', '/api/v2/projects/', {
    name: 'Killed',
    slug: 'killed',
  })
  await lectern.call('POST', '/api/v2/projects/killed/sources/', { type: 'site', url: site.url })
  const { body: run } = await lectern.call('POST', '/api/v2/projects/killed/sync/')
  await runEnded(lectern, 'killed', run.uuid)
  await lectern.kill('SIGTERM')
  return project.uuid
}

/** Starts syncs and recrawls until the process is gone, and remembers what was answered with 202. */
async function workOn(
  lectern: LecternProcess,
  random: () => number,
  acknowledged: { runs: Set<string>; recrawls: Set<string> },
) {
  try {
    for (;;) {
      const recrawl = random() < 0.5
      const { status, body } = recrawl
        ? await lectern.call('POST', '/api/v2/projects/killed/recrawl/', {
            url: `${site.url}p${Math.floor(random() * pages)}.html`,
          })
        : await lectern.call('POST', '/api/v2/projects/killed/sync/')
      if (status === 202) acknowledged[recrawl ? 'recrawls' : 'runs'].add(body.uuid)
      await delay(random() * 400)
    }
  } catch {
    // The process was killed under the request.
  }
}

async function expectAcknowledged(
  project: string,
  { runs, recrawls }: { runs: Set<string>; recrawls: Set<string> },
) {
  const store = await openStore({ data })
  for (const uuid of runs) expect(await store.runs.get(project, uuid), `run ${uuid}`).not.toBeNull()
  for (const uuid of recrawls)
    expect(await store.recrawls.get(project, uuid), `recrawl ${uuid}`).not.toBeNull()
  await store.close()
}
