// kill -9 of a real process, at named moments of its work and at random ones: acknowledged writes survive completely, store
// and index agree, and unfinished work completes and matches the site.
//
// A killed process loses no page cache, so this tests only the order of writes, not flushes to disk. The order of flushes is
// tested in services/index/segments/write-order.test.ts.
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { createRandom } from '../fixtures/seeded-random.ts'
import { createFolder } from '../folder.ts'
import { disagreements, hasOwnVocabulary } from './agreement.ts'
import { openChangingSite } from './kill/changing-site.ts'
import { deletions } from './kill/deletions.ts'
import { doom, takeDoom } from './kill/doom.ts'
import { checkWhole, openKept } from './kill/kept.ts'
import { nothingLive, settle } from './kill/outcome.ts'
import { type Kill, planRounds, shuffled } from './kill/plan.ts'
import { type Acknowledged, secret, slug, startSync, type Target, writes } from './kill/writes.ts'
import { type LecternProcess, spawnLectern, syncToEnd } from './lectern-process.ts'

/** Milliseconds after which a kill at any time falls. */
const anyTime = 1_200
/** Milliseconds after which an unreached moment counts as unreachable. */
const never = 60_000

const seed = inject('seed')
const random = createRandom(seed)
const rounds = planRounds(random)
const kills = rounds.flatMap(({ kill, again }) => [kill, again]).filter((kill) => kill !== null)

const data = createFolder()
/** The most recently started process. */
let running: LecternProcess | undefined
let ids: Pick<Target, 'project' | 'team' | 'uploads'>
const acknowledged: Acknowledged[] = []
/** The kills that happened, each at its moment. */
const fallen: Kill[] = []
let writeNumber = 0

const site = await openChangingSite()

afterAll(async () => {
  running?.process.kill('SIGKILL')
  await site.close()
})

test(`${kills.length} kills lose no acknowledged write`, { timeout: 60 * 60_000 }, async () => {
  console.log(`seed ${seed}`)
  let edition = 0
  site.publish(edition)
  let lectern = await prepare()
  for (const [at, round] of rounds.entries()) {
    const name = `round ${at}: ${JSON.stringify(round)}`
    edition += 1
    const expected = site.publish(edition)
    await workUntil(lectern, round.kill, name)
    await checkKilled(name)
    if (round.losesIndex) await rm(join(data, 'index'), { recursive: true })
    if (round.again !== null) {
      await startUntil(round.again, name)
      if (!round.losesIndex) await checkKilled(name)
    }
    lectern = await ready()
    const { supersedes, losesIndex } = round
    await settle(lectern, { ...ids, data, site, expected, supersedes, losesIndex, name })
    expect(await disagreements(data, ids.project, true), name).toEqual([])
    expect(await hasOwnVocabulary(data, ids.project), `${name}: the vocabulary is that of the index`).toBe(
      true,
    )
  }
  site.publish(edition + 1)
  expect(await syncToEnd(lectern, slug)).toMatchObject({ status: 'completed' })
  await lectern.kill('SIGTERM')
  await checkKilled('the end')
  expect(await disagreements(data, ids.project, true)).toEqual([])
  expect(await hasOwnVocabulary(data, ids.project)).toBe(true)

  const afterWalk = fallen.filter((kill) => kill !== 'any time' && kill.late)
  const atAnyTime = fallen.filter((kill) => kill === 'any time')
  console.log(
    `${fallen.length} kills: ${afterWalk.length} in the steps after the walk, ${atAnyTime.length} at any time`,
  )
  expect(fallen.length).toBe(kills.length)
  expect(afterWalk.length).toBeGreaterThanOrEqual(kills.length / 3)
})

async function start() {
  const env = {
    LECTERN_SECRET: secret,
    LECTERN_TRUST_PROXY: '127.0.0.0/8',
    NODE_OPTIONS: `--import=${new URL('kill/doomed-process.ts', import.meta.url).href}`,
  }
  const lectern = await spawnLectern({ data, env })
  running = lectern
  return lectern
}

async function ready() {
  const lectern = await start()
  await lectern.ready
  return lectern
}

/** A Lectern with a project that has been indexed once. */
async function prepare(): Promise<LecternProcess> {
  const lectern = await ready()
  const { body: project } = await lectern.call('POST', '/api/v2/projects/', { name: 'Killed', slug })
  await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, {
    type: 'site',
    url: site.url,
    exclude: ['/private/**'],
  })
  await syncToEnd(lectern, slug)
  const kept = await openKept(data)
  await nothingLive(kept.store, lectern, 'the start')
  const { body: uploads } = await lectern.call('POST', '/api/v2/projects/', {
    name: 'Uploads',
    slug: 'uploads',
  })
  const { team } = (await kept.store.projects.byUuid(project.uuid))!
  ids = { project: project.uuid, team, uploads: { uuid: uploads.uuid, slug: uploads.slug } }
  await kept.store.close()
  return lectern
}

/** Repeats a sync and one write of every other kind until the process is dead. */
async function workUntil(lectern: LecternProcess, kill: Kill, name: string) {
  const dead = die(lectern, kill, name)
  try {
    acknowledged.push(await startSync(target(lectern)))
    for (;;) {
      for (const write of shuffled([...Object.values(writes), ...Object.values(deletions)], random)) {
        acknowledged.push(await write(target(lectern)))
      }
    }
  } catch (error) {
    // If the process still answers, it is a fault.
    const answers = await lectern.call('GET', '/healthz').catch(() => null)
    if (answers !== null) throw error
  }
  await dead
}

async function startUntil(kill: Kill, name: string) {
  if (kill !== 'any time') doom(data, kill)
  await die(await start(), kill, name)
}

/** Resolves when the process is dead, which only the kill may cause. */
async function die({ process: child }: LecternProcess, kill: Kill, name: string) {
  const exited = once(child, 'exit')
  if (kill === 'any time') {
    await delay(random() * anyTime)
    child.kill('SIGKILL')
    await exited
    fallen.push(kill)
    return
  }
  doom(data, kill)
  const late = delay(never, 'late', { ref: false })
  if ((await Promise.race([exited, late])) === 'late') {
    child.kill('SIGKILL')
    await exited
  }
  expect(takeDoom(data), `the moment came: ${name}`).toBe(true)
  fallen.push(kill)
}

function target(lectern: LecternProcess) {
  writeNumber += 1
  const pages = [...site.listed, ...site.unlisted].filter((path) => path !== site.gone())
  const page = new URL(pages[Math.floor(random() * pages.length)]!, site.url).href
  return { lectern, ...ids, page, n: writeNumber }
}

/** Checks the folder after a kill: units of versions that no reader sees may remain, and nothing else may be wrong. */
async function checkKilled(name: string) {
  expect(await disagreements(data, ids.project, false), name).toEqual([])
  const kept = await openKept(data)
  for (const { what, check } of acknowledged) {
    await check(kept).catch((error) => {
      throw new Error(`${what} was acknowledged; after ${name}: ${error.message}`)
    })
  }
  await checkWhole(kept.store, ids)
  await kept.store.close()
}
