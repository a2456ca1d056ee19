// Analytics of a complete Lectern over a real socket: counts of readers' actions as JSON, as CSV and over Connect.
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AnalyticsService } from '../../gen/lectern/v1/analytics_pb.js'
import { admin, openRealCore, type RealCore, slugs } from '../protocol/real-core.ts'

/** Preloaded into the process: one signal stops its clock, the next restarts it. */
const clock = `data:text/javascript,
  const { now } = Date;
  let stands = 0;
  Date.now = () => stands || now();
  process.on('SIGUSR2', () => { stands = stands ? 0 : now(); console.log(stands ? 'time stands' : 'time passes') })`

let core: RealCore
beforeAll(async () => {
  core = await openRealCore({ NODE_OPTIONS: `--import=${clock.replace(/\s+/g, '%20')}` })
})
afterAll(() => core.close())

const docs = `/api/v2/projects/${slugs.open}/`
const analytics = `${docs}analytics/search/`

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(core.lectern.baseUrl + path, { headers: { ...admin, ...headers } })
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
}
async function hears(what: string) {
  core.lectern.process.kill('SIGUSR2')
  await expect.poll(() => core.lectern.output).toContain(what)
}
const totals = async (path = analytics) => JSON.parse((await get(path)).text).totals

it('counts today’s searches and clicks, and merges keystrokes into one search', async () => {
  const page = `${core.site.url}asyncio.html`
  // Keystrokes within five seconds count as one search.
  await hears('time stands')
  for (const q of ['asy', 'asyncio', 'Asyncio', '=zzzyx']) {
    const found = await core.lectern.call('GET', `${docs}search/?q=${encodeURIComponent(q)}`)
    expect(found.status).toBe(200)
  }
  await hears('time passes')
  const click = { query: 'asyncio', url: `${page}#asyncio`, position: 1 }
  await core.lectern.call('POST', `${docs}search/click/`, click)
  await core.lectern.call('POST', `${docs}search/click/`, { ...click, url: `${page}-of-nobody` })
  const expected = { searches: 2, unique_queries: 2, clicks: 2, click_rate: 1, no_result_searches: 1 }
  await expect.poll(() => totals()).toEqual(expected)

  const answer = JSON.parse((await get(analytics)).text)
  const today = answer.end_date
  expect(answer.daily).toHaveLength(30)
  expect(answer.daily[0]).toEqual({
    date: answer.start_date,
    searches: 0,
    unique_queries: 0,
    clicks: 0,
    click_rate: 0,
    no_result_searches: 0,
  })
  expect(answer.daily.at(-1)).toEqual({ date: today, ...expected })
  expect(answer.top_queries).toEqual([
    { query: '=zzzyx', count: 1 },
    { query: 'asyncio', count: 1 },
  ])
  expect(answer.top_no_result_queries).toEqual([{ query: '=zzzyx', count: 1 }])
  expect(answer.top_clicked).toEqual([{ url: page, title: 'asyncio', count: 1 }])

  const csv = await get(analytics, { accept: 'text/csv' })
  expect(csv.type).toBe('text/csv; charset=utf-8')
  const lines = csv.text.split('\r\n')
  expect(lines[0]).toBe(
    'part,searches,unique_queries,clicks,click_rate,no_result_searches,date,query,count,url,title',
  )
  expect(lines[1]).toBe('totals,2,2,2,1,1,,,,,')
  expect(lines).toContain("top_queries,,,,,,,'=zzzyx,1,,")
  expect(lines).toContain(`top_clicked,,,,,,,,1,${page},asyncio`)

  const transport = createGrpcTransport({ baseUrl: core.url })
  const client = createClient(AnalyticsService, transport)
  const same = await client.getSearchAnalytics({ slug: slugs.open, startDate: today }, { headers: admin })
  expect(same.totals).toMatchObject({ searches: 2, clickRate: 1 })
  expect(same.daily).toHaveLength(1)

  const other = `/api/v2/projects/${slugs.closed}/analytics/search/`
  expect(await totals(other)).toMatchObject({ searches: 0, click_rate: 0 })
})

it.each([
  ['start_date=yesterday', 'start_date'],
  ['end_date=2026-02-30', 'end_date'],
  ['start_date=2026-02-01&end_date=2026-01-31', 'start_date'],
  ['start_date=2024-01-01&end_date=2025-01-01', 'start_date'],
])('rejects %s', async (query, field) => {
  for (const kind of ['search', 'chat', 'mcp', 'insights']) {
    const { status, body } = await core.lectern.call('GET', `${docs}analytics/${kind}/?${query}`)
    expect([kind, status, Object.keys(body.fields)]).toEqual([kind, 400, [field]])
  }
})

it('treats an empty date as absent', async () => {
  const ends = async (query: string) => {
    const { status, body } = await core.lectern.call('GET', analytics + query)
    return [status, body.start_date, body.end_date]
  }
  expect(await ends('?start_date=&end_date=')).toEqual(await ends(''))
})
