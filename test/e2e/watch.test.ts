// The stream of a run's counts over REST: from start to end, through a cancel, a kill and a graceful stop of Lectern.
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createFolder } from '../folder.ts'
import { watch } from './event-stream.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'
import { type Handler, htmlPage, openSite, type Site } from './site.ts'

const secret = Buffer.alloc(32, 5).toString('base64')
const links = Array.from({ length: 40 }, (_, at) => `/page${at}.html`)

const data = createFolder()
let lectern: LecternProcess
let site: Site
/** Path of the test's project. */
let project: string
let projects = 0
/** Requests for the second half of the pages wait for it. */
let gate: PromiseWithResolvers<void>

const startAgain = () => startLectern({ data, env: { LECTERN_SECRET: secret } })

const behindGate =
  (html: string): Handler =>
  async (_, response) => {
    await gate.promise
    response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  }

beforeAll(async () => {
  lectern = await startAgain()
})
afterAll(() => lectern?.remove())

beforeEach(async () => {
  // The previous test may have stopped or killed it.
  const { exitCode, signalCode } = lectern.process
  if (exitCode !== null || signalCode !== null) lectern = await startAgain()
  gate = Promise.withResolvers()
  site = await openSite({ '/': htmlPage('Start', 'All pages.', links) })
  for (const [at, link] of links.entries()) {
    const html = htmlPage(link, `Words of ${link} that are long enough for a section.`)
    site.pages.set(link, at < 20 ? html : behindGate(html))
  }
  const slug = `site-${projects++}`
  project = `/api/v2/projects/${slug}/`
  await lectern.call('POST', '/api/v2/projects/', { name: slug, slug })
  await lectern.call('POST', `${project}sources/`, { type: 'site', url: site.url })
})

afterEach(async () => {
  gate.resolve()
  await site.close()
})

const start = async () => (await lectern.call('POST', `${project}sync/`)).body.uuid as string
const follow = (run: string) => watch(`${lectern.baseUrl}${project}sync/${run}/watch/`)

/** Reads until an event matches, and returns it. */
// biome-ignore lint/suspicious/noExplicitAny: the JSON of an event
async function until(events: AsyncIterable<any>, fits: (event: any) => boolean) {
  const iterator = events[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await iterator.next()
    if (done) throw new Error('the stream has ended')
    if (fits(value)) return value
  }
}

test('streams counts that add up at every moment, until the run has ended', async () => {
  const run = await start()
  const { status, headers, events } = await follow(run)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/event-stream')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-encoding')).toBeNull()
  const statuses = new Set<string>()
  let last: { run: Record<string, unknown>; pages_per_second: number; resumed: number; url: string } | null =
    null
  for await (const event of events) {
    const { discovered, added, updated, unchanged, skipped, failed, pending } = event.run.pages
    expect(discovered).toBe(added + updated + unchanged + skipped + failed + pending)
    statuses.add(event.run.status)
    last = event
    if (added >= 20) gate.resolve()
  }
  expect(last).toMatchObject({ run: { uuid: run, status: 'completed', pages: { added: 41 } }, resumed: 0 })
  expect([...statuses].at(-1)).toBe('completed')
  // For a run that has ended, the stream sends one event.
  const again = await follow(run)
  const states = []
  for await (const event of again.events) states.push(event.run.status)
  expect(states).toEqual(['completed'])
})

test('reports a cancel, which ends the stream', async () => {
  const run = await start()
  const { events } = await follow(run)
  await until(events, (event) => event.run.pages.added >= 20)
  const other = await follow(run)
  await lectern.call('POST', `${project}sync/${run}/cancel/`)
  const states = []
  for await (const event of other.events) states.push(event.run.status)
  expect(states.at(-1)).toBe('cancelled')
})

test('continues with the next process after a kill, and reports that the run was resumed', async () => {
  const run = await start()
  const { events } = await follow(run)
  await until(events, (event) => event.run.pages.added >= 20)
  await lectern.kill()
  lectern = await startAgain()
  const next = await follow(run)
  gate.resolve()
  const end = await until(next.events, (event) => event.run.status === 'completed')
  expect(end).toMatchObject({ resumed: 1, run: { pages: { added: 41, pending: 0 } } })
})

test('ends when Lectern stops', async () => {
  const { events } = await follow(await start())
  const exit = once(lectern.process, 'exit')
  lectern.process.kill('SIGTERM')
  for await (const _ of events);
  expect((await exit)[0]).toBe(0)
})

test('shows a run to its end at two gateways of one core', async () => {
  const openGateway = async () => {
    const core = { LECTERN_CORE_URL: `http://${lectern.grpc}`, LECTERN_SECRET: secret }
    const gateway = await startLectern({ data: createFolder(), env: { LECTERN_ROLE: 'gateway', ...core } })
    onTestFinished(gateway.remove)
    return gateway
  }
  const gateways = [await openGateway(), await openGateway()]
  const run = await start()
  const streams = await Promise.all(
    gateways.map(({ baseUrl }) => watch(`${baseUrl}${project}sync/${run}/watch/`)),
  )
  for (const { events } of streams) await until(events, (event) => event.run.pages.added >= 20)
  gate.resolve()
  for (const { events } of streams) {
    const end = await until(events, (event) => event.run.status === 'completed')
    expect(end.run).toMatchObject({ uuid: run, pages: { added: 41, pending: 0 } })
    expect((await events[Symbol.asyncIterator]().next()).done).toBe(true)
  }
})

test('returns the same errors as other endpoints', async () => {
  expect(await lectern.call('GET', `${project}sync/none/watch/`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
  const open = await fetch(`${lectern.baseUrl}${project}sync/none/watch/`)
  expect(open.status).toBe(401)
  const run = await start()
  const head = await fetch(`${lectern.baseUrl}${project}sync/${run}/watch/`, {
    method: 'HEAD',
    headers: { authorization: 'Api-Key an-admin-key-for-tests-only' },
  })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
})
