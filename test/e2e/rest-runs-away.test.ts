// Projects while syncs cannot be started (manual/production.md, "When a server is unavailable"): changes unrelated to syncs work,
// and related ones are rejected before anything is written.
import { afterAll, beforeEach, expect, it } from 'vitest'
import { backendAway } from '../../services/errors.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import type { Runs } from '../../services/runs/runs.ts'
import { openRestLab } from './rest-lab.ts'

let isAway = false
const schedules = new Map<string, string | null>()
const answer = async () => {
  if (isAway) throw backendAway('runs', null)
}
const runs: Runs = {
  ...{ startSync: answer, stopSync: answer, startRecrawl: answer, dropProject: answer, sweep: answer },
  ...{ ping: answer, close: async () => {} },
  async schedule(project, cron) {
    await answer()
    schedules.set((await lab.store.projects.byUuid(project))!.slug, cron)
  },
}

const lab = await openRestLab((deps) => ({ projects: createProjectService({ ...deps, runs }) }))
afterAll(() => lab.close())
beforeEach(() => {
  isAway = false
})

const ask = async (method: string, path: string, body?: unknown) =>
  (await lab.ask(method, `projects/${path}`, body)).status
const scheduled = (schedule: string) => ({ config: { sync: { schedule } } })

it('creates and changes a project without a schedule', async () => {
  isAway = true
  expect(await ask('POST', '', { name: 'Plain', slug: 'plain' })).toBe(201)
  expect(await ask('PATCH', 'plain/', { name: 'Plainer' })).toBe(200)
  expect((await lab.store.projects.bySlug('plain'))?.name).toBe('Plainer')
  expect(schedules.has('plain')).toBe(false)
})

it('rejects a project with a schedule until syncs are available again', async () => {
  isAway = true
  expect(await ask('POST', '', { name: 'Daily', slug: 'daily', ...scheduled('0 3 * * *') })).toBe(503)
  expect(await lab.store.projects.bySlug('daily')).toBeNull()
  isAway = false
  expect(await ask('POST', '', { name: 'Daily', slug: 'daily', ...scheduled('0 3 * * *') })).toBe(201)
  expect(schedules.get('daily')).toBe('0 3 * * *')
})

it('rejects a change of its schedule and accepts all others', async () => {
  expect(await ask('POST', '', { name: 'Weekly', slug: 'weekly', ...scheduled('0 3 * * 1') })).toBe(201)
  isAway = true
  expect(await ask('PATCH', 'weekly/', scheduled('0 4 * * 1'))).toBe(503)
  expect((await lab.store.projects.bySlug('weekly'))?.config.sync.schedule).toBe('0 3 * * 1')
  expect(await ask('PATCH', 'weekly/', { is_private: true })).toBe(200)
  isAway = false
  expect(await ask('PATCH', 'weekly/', scheduled('0 4 * * 1'))).toBe(200)
  expect(schedules.get('weekly')).toBe('0 4 * * 1')
})
