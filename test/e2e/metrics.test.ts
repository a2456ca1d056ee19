// What an operator sees of a running process: log lines of runs, and the families of /metrics.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { answers, fails } from '../model/scripts.ts'
import { type LecternProcess, startLectern, syncToEnd } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let site: Site
let provider: ScriptedProvider
let lectern: LecternProcess
let slug: string
let project: string
beforeAll(async () => {
  provider = await openScriptedProvider()
  site = await openSite({
    '/': htmlPage('Tides', 'When to sail.', ['/moon.html', '/gone.html']),
    '/moon.html': htmlPage('The moon', 'The moon raises the tides.'),
  })
  lectern = await startLectern({
    address: site.url,
    env: {
      LECTERN_LOG: 'info',
      LECTERN_LLM_URL: provider.url,
      LECTERN_LLM_MODEL: 'scripted',
    },
  })
  slug = new URL(site.url).host.replaceAll(/[.:]/g, '-')
  project = `/api/v2/projects/${slug}`
})
afterAll(async () => {
  await lectern.remove()
  await provider.close()
  await site.close()
})

/** Log lines about a run, without their times. */
const linesOf = (uuid: string) =>
  lectern.output
    .filter((line) => line.startsWith('{') && line.includes(uuid))
    .map((line) => {
      const { level, msg, project, trigger, pages, seconds, reason } = JSON.parse(line)
      return { level, msg, project, trigger, pages, isTimed: seconds > 0, reason }
    })

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${lectern.baseUrl}/metrics`)).text()
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found ? Number(found.slice(line.length + 1)) : 0
}

test('logs the start and the end of a run, and counts it', async () => {
  const [completed, unchanged, duration] = [
    'lectern_sync_runs_total{status="completed",trigger="api"}',
    'lectern_sync_pages_total{outcome="unchanged"}',
    'lectern_sync_run_duration_seconds_count{status="completed"}',
  ] as const
  // The first run is logged and counted after it has ended in the store.
  await expect.poll(() => lectern.output.join('\n')).toContain('sync completed')
  const before = await Promise.all([completed, unchanged, duration].map(metric))
  const run = await syncToEnd(lectern, slug)
  const one = { project: slug, trigger: 'api' }
  await expect
    .poll(() => linesOf(run.uuid))
    .toEqual([
      { ...one, level: 30, msg: 'sync started', isTimed: false },
      { ...one, level: 30, msg: 'sync completed', isTimed: true, pages: run.pages },
    ])
  const after = await Promise.all([completed, unchanged, duration].map(metric))
  expect(after.map((value, n) => value - before[n]!)).toEqual([1, 2, 1])
})

test('logs and counts a canceled run', async () => {
  const asked = Promise.withResolvers<void>()
  site.pages.set('/', () => asked.resolve())
  const { body } = await lectern.call('POST', `${project}/sync/`)
  await asked.promise
  await lectern.call('POST', `${project}/sync/${body.uuid}/cancel/`)
  await expect
    .poll(() => linesOf(body.uuid).map(({ msg }) => msg))
    .toEqual(['sync started', 'sync cancelled'])
  expect(await metric('lectern_sync_runs_total{status="cancelled",trigger="api"}')).toBe(1)
})

test('counts calls of the language model by outcome', async () => {
  provider.chat.play(answers('The moon raises the tides [1].'))
  await lectern.call('POST', `${project}/chats/`, { message: 'What raises the tides?' })
  provider.chat.play(fails(401))
  await lectern.call('POST', `${project}/chats/`, { message: 'What raises the tides?' })
  expect(await metric('lectern_llm_calls_total{outcome="stop"}')).toBe(1)
  expect(await metric('lectern_llm_calls_total{outcome="refused"}')).toBe(1)
  expect(await metric('lectern_llm_call_duration_seconds_count')).toBe(2)
})

test('measures the index, active runs and the disk', async () => {
  expect(await metric('lectern_index_sections')).toBe(2)
  expect(await metric('lectern_sync_live_runs{status="running"}')).toBe(0)
  expect(await metric('lectern_data_bytes{part="database"}')).toBeGreaterThan(0)
  expect(await metric('lectern_data_bytes{part="index"}')).toBeGreaterThan(0)
  expect(await metric('lectern_data_free_bytes')).toBeGreaterThan(0)
})
