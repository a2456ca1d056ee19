// The contract of the runs port: cases that run unchanged on every driver, all on one driver, each with a new project.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backendAway } from '../../services/errors.ts'
import { startRun } from '../../services/sync/start-run.ts'
import { htmlPage } from '../e2e/site.ts'
import { runsBackgroundCases } from './runs-background.suite.ts'
import {
  type OpenRunsDriver,
  openRunsBench,
  type RunsBench,
  type RunsCases,
  type RunsLab,
} from './runs-lab.ts'
import { run } from './store-case.ts'

/** The event is written after the run has ended. */
async function lastEvents({ store, until }: RunsLab, { uuid }: { uuid: string }) {
  const read = () => store.runs.events(uuid, { type: 'run_finished' }, { offset: 0, limit: 10 })
  await until('its last event is written', async () => (await read()).count > 0)
  return (await read()).rows
}

const begunRuns = async ({ store, project }: RunsLab) =>
  (await store.runs.list(project, { offset: 0, limit: 10 })).rows.map(({ uuid }) => uuid)

const syncCases: RunsCases = {
  async 'a run reads its sources completely, and the next one finds them unchanged'(lab) {
    lab.writePages(['a.html', 'b.html'])
    const first = await lab.sync()
    expect(first).toMatchObject({
      ...{ status: 'completed', error: null, supersededBy: null },
      pages: { discovered: 3, added: 3, fetched: 3, pending: 0 },
    })
    expect(await lab.versions()).toHaveLength(3)
    expect(await lastEvents(lab, first)).toHaveLength(1)
    expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { unchanged: 3, pending: 0 } })
  },
  async 'a run that can read none of its sources fails with the reason'(lab) {
    lab.writePages(['a.html', 'b.html'])
    await lab.sync()
    lab.site.pages.clear()
    const failed = await lab.sync()
    const error = `${lab.site.url} could not be read. The server answered 404.`
    expect(failed).toMatchObject({ status: 'failed', error, sourcesFailed: 1, pages: { removed: 0 } })
    expect(await lastEvents(lab, failed)).toMatchObject([{ level: 'error', message: error }])
    expect(await lab.versions()).toHaveLength(3)
    const [source] = await lab.store.sources.all(lab.project)
    expect(source).toMatchObject({ state: 'failed', lastError: error })
  },
  async 'a newer run supersedes the one before, which aborts its requests and writes nothing'(lab) {
    lab.writePages(['a.html', 'b.html'])
    const held = lab.hold('/b.html')
    const first = await lab.begin()
    await held.asked
    const second = await lab.begin()
    const left = await lab.runOf(first)
    expect(left).toMatchObject({ status: 'cancelled', supersededBy: second.uuid })
    await held.dropped
    held.release()
    expect(await lab.ended(second)).toMatchObject({ status: 'completed', pages: { discovered: 3 } })
    expect(await lab.runOf(first)).toEqual(left)
    expect(await lastEvents(lab, first)).toMatchObject([{ message: 'A newer run has taken its place.' }])
    expect(await lab.textOf('/b.html')).toContain('Words of b.html.')
  },
  async 'of concurrently started runs the newest continues, whatever the order of calls to the driver'(lab) {
    lab.writePages(['a.html', 'b.html'])
    const runs = await Promise.all([lab.begin(), lab.begin(), lab.begin()])
    const [newest, ...older] = runs.toSorted((one, other) => other.fence - one.fence)
    for (const { uuid, project } of older) await lab.runs.startSync({ uuid, project })
    expect(await lab.ended(newest!)).toMatchObject({ status: 'completed', pages: { discovered: 3 } })
    for (const one of older) expect((await lab.ended(one)).status).toBe('cancelled')
  },
  async 'an ended or unknown run is neither started nor stopped'(lab) {
    lab.writePages(['a.html'])
    const ended = await lab.sync()
    const asked = lab.site.requests.length
    for (const uuid of [ended.uuid, randomUUID()]) {
      await lab.runs.startSync({ uuid, project: lab.project })
      await lab.runs.stopSync({ uuid, project: lab.project })
    }
    expect(await begunRuns(lab)).toEqual([ended.uuid])
    // If work had been started, it would run before this.
    await lab.sync()
    expect(lab.site.requests).toHaveLength(2 * asked)
    expect(await lab.runOf(ended)).toEqual(ended)
  },
  async 'a run canceled before its work starts requests nothing from the site'(lab) {
    lab.writePages(['a.html'])
    const queued = run(randomUUID(), { project: lab.project, createdAt: new Date().toISOString() })
    const begun = await lab.store.runs.begin(queued)
    await lab.cancel(begun!.run)
    await lab.runs.startSync(begun!.run)
    expect(await begunRuns(lab)).toEqual([queued.uuid])
    const next = await lab.sync()
    expect(lab.site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/a.html'])
    expect(await lab.runOf(queued)).toMatchObject({ status: 'cancelled', supersededBy: null })
    expect(next.pages.added).toBe(2)
  },
  async 'a canceled run aborts its requests, keeps the rest as pending and removes nothing'(lab) {
    lab.writePages(['a.html', 'b.html', 'c.html'])
    await lab.sync()
    lab.writePages(['a.html', 'b.html'])
    const held = lab.hold('/')
    const cancelled = await lab.begin()
    await held.asked
    await lab.cancel(cancelled)
    const left = await lab.runOf(cancelled)
    await held.dropped
    held.release()
    expect(left).toMatchObject({ status: 'cancelled', supersededBy: null })
    expect(left.pages).toMatchObject({ discovered: 1, pending: 1, removed: 0 })
    expect(await lab.store.pages.count(lab.project)).toBe(4)
    expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { removed: 1 } })
    expect(await lab.runOf(cancelled)).toEqual(left)
    expect(await lastEvents(lab, cancelled)).toMatchObject([{ message: 'The run was cancelled.' }])
  },
  async 'a run whose work cannot be started fails, and the next one starts'(lab) {
    lab.writePages(['a.html'])
    const project = (await lab.store.projects.byUuid(lab.project))!
    const startSync = () => Promise.reject(backendAway('runs', null))
    const deps = { store: lab.store, runs: { ...lab.runs, startSync } }
    const identity = { now: () => new Date(), newUuid: randomUUID }
    await assert.rejects(startRun({ ...deps, ...identity }, project, 'api'), { reason: 'unavailable' })
    const failed = (await lab.store.runs.latest(lab.project))!
    expect(failed).toMatchObject({ status: 'failed', error: 'The run could not be started.' })
    expect(await lastEvents(lab, failed)).toHaveLength(1)
    expect((await lab.sync()).status).toBe('completed')
  },
  async 'stopping an older run does not affect the newer one'(lab) {
    lab.writePages(['a.html'])
    const older = await lab.sync()
    const held = lab.hold('/a.html', 'Words of a.html.')
    const newer = await lab.begin()
    await held.asked
    await lab.runs.stopSync({ uuid: older.uuid, project: lab.project })
    held.release()
    expect((await lab.ended(newer)).status).toBe('completed')
  },
  async 'projects do not wait for each other'(lab) {
    lab.writePages(['a.html'])
    const held = lab.hold('/a.html')
    const waiting = await lab.begin()
    await held.asked
    const other = await lab.beside()
    other.writePages(['a.html'])
    expect((await other.sync()).status).toBe('completed')
    held.release()
    expect((await lab.ended(waiting)).status).toBe('completed')
  },
}

/** These cases close the driver during its work. */
const restartCases: RunsCases = {
  async 'closing aborts requests and keeps runs and recrawls live, and the next process finishes them'(lab) {
    lab.writePages(['a.html', 'b.html', 'c.html'])
    await lab.sync()
    lab.writePages(['a.html', 'b.html', 'c.html'], 'New words of')
    const [runHeld, recrawlHeld] = [lab.hold('/b.html'), lab.hold('/c.html')]
    const recrawl = await lab.recrawl('/c.html')
    await recrawlHeld.asked
    const live = await lab.begin()
    await runHeld.asked
    await lab.stop()
    await Promise.all([runHeld.dropped, recrawlHeld.dropped])
    expect((await lab.runOf(live)).status).toBe('running')
    expect(await lab.store.recrawls.get(lab.project, recrawl)).toMatchObject({ finishedAt: null })
    await lab.start()
    expect(await lab.ended(live)).toMatchObject({
      status: 'completed',
      pages: { discovered: 4, pending: 0 },
    })
    const resumed = await lab.store.runs.events(live.uuid, { type: 'run_resumed' }, { offset: 0, limit: 9 })
    expect(resumed.rows[0]).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('of 4 pages'),
    })
    const outcome = await lab.outcome(recrawl)
    expect(['indexed', 'unchanged']).toContain(outcome.status)
    expect(await lab.textOf('/b.html')).toContain('New words of b.html.')
    expect(await lastEvents(lab, live)).toHaveLength(1)
  },
  async 'the next process does runs and recrawls whose start was acknowledged'(lab) {
    lab.site.pages.set('/', htmlPage('Start', 'Where to begin.'))
    await lab.sync()
    lab.site.pages.set('/', htmlPage('Start', 'Where to begin anew.'))
    const other = await lab.beside()
    other.writePages(['a.html'])
    const [recrawl, queued] = [await lab.recrawl('/'), await other.begin()]
    await lab.stop()
    await lab.start()
    expect(await other.ended(queued)).toMatchObject({ status: 'completed', pages: { discovered: 2 } })
    expect(await lab.outcome(recrawl)).toMatchObject({ status: 'indexed' })
  },
  async 'schedules survive a restart'(lab) {
    lab.writePages(['a.html'])
    await lab.setSchedule('30 4 * * *')
    await lab.stop()
    await lab.start()
    expect(await lab.comeDue()).not.toBeNull()
    expect((await lab.scheduledRun()).status).toBe('completed')
  },
  async 'a driver answers pings while work can be started, and rejects them when closed'(lab) {
    await lab.runs.ping()
    const { runs } = lab
    await lab.stop()
    await assert.rejects(runs.ping(), { reason: 'unavailable' })
    await lab.start()
    await lab.runs.ping()
  },
}

/** Runs all cases in sequence on one driver. */
export function testRuns(name: string, open: OpenRunsDriver): void {
  describe(`${name}: runs`, () => {
    let bench: RunsBench
    beforeAll(async () => {
      bench = await openRunsBench(open)
    })
    afterAll(() => bench.close())
    for (const [name, run] of Object.entries({ ...syncCases, ...runsBackgroundCases, ...restartCases }))
      test(name, async () => {
        await bench.run(run)
        expect(bench.errors.splice(0)).toEqual([])
      })
  })
}
