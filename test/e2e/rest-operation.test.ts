// The gateway's endpoints for operators, and the description of its REST interface.
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { openTestGateway } from './gateway/lectern-gateway.ts'

let away: string[] = []
const gateway = await openTestGateway({
  publicUrl: 'https://docs.example/l',
  readiness: async () => away,
})
afterAll(() => gateway.close())

it('is alive', async () => {
  expect((await gateway.ask('GET', '/healthz')).status).toBe(200)
})

it('is ready while every backend answers, and otherwise names the failing one', async () => {
  expect((await gateway.ask('GET', '/readyz')).status).toBe(200)
  away = ['index']
  const answer = await gateway.ask('GET', '/readyz')
  expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready', away: ['index'] }])
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
})

it('is ready without its language model, and names it', async () => {
  away = ['model']
  const answer = await gateway.ask('GET', '/readyz')
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready', away: ['model'] }])
  away = ['model', 'index']
  expect((await gateway.ask('GET', '/readyz')).status).toBe(503)
})

it('counts requests by route, method and status', async () => {
  await gateway.ask('GET', '/api/v2/projects/open/')
  await gateway.ask('GET', '/api/v2/projects/open')
  await gateway.ask('GET', '/nothing/at/all')
  const text = await (await gateway.ask('GET', '/metrics')).text()
  const one = 'route="/api/v2/projects/{slug}/",method="GET"'
  expect(text).toContain(`lectern_http_requests_total{${one},status="200"} 2\n`)
  expect(text).toContain('lectern_http_requests_total{route="none",method="GET",status="404"} 1\n')
  expect(text).toContain(`lectern_http_request_duration_seconds_count{${one}} 2\n`)
  expect(text).not.toContain('/nothing')
})

it('counts searched questions by whether their meaning was used', async () => {
  const search = (q: string) => gateway.ask('GET', `/api/v2/projects/open/search/?q=${q}`)
  await Promise.all([search('why'), search('why'), search('name')])
  const text = await (await gateway.ask('GET', '/metrics')).text()
  expect(text.split('\n').filter((line) => line.startsWith('lectern_questions_total'))).toEqual([
    'lectern_questions_total{meaning="late"} 2',
  ])
})

it('describes its interface, with the public address', async () => {
  const answer = await gateway.ask('GET', '/api/v2/openapi.json')
  const description = (await answer.json()) as { servers: unknown }
  expect(description.servers).toEqual([{ url: 'https://docs.example/l' }])
})

it('rejects the 601st request per minute to endpoints that the gateway answers itself', async () => {
  // The clock is stopped, so the minute does not end.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => clock.mockRestore())
  const other = await openTestGateway()
  onTestFinished(other.close)
  for (let sent = 1; sent <= 600; sent++) expect((await other.ask('GET', '/readyz')).status).toBe(200)
  for (const path of ['/readyz', '/metrics', '/', '/api/v1/openapi.json', '/api/v2/openapi.json']) {
    const answer = await other.ask('GET', path)
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 429, '60'])
  }
  expect((await other.ask('GET', '/healthz')).status).toBe(200)
})
