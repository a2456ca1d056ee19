// Every end of the process leaves a log line, and errors that need not end it do not.
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, runEnded, spawnLectern, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let site: Site
const open: LecternProcess[] = []
beforeAll(async () => {
  const links = Array.from({ length: 30 }, (_, at) => `/p${at}.html`)
  site = await openSite({ '/': htmlPage('Start', 'All pages', links) })
  for (const link of links) site.pages.set(link, htmlPage(link, `Words of ${link}`))
})
afterAll(async () => {
  for (const lectern of open) await lectern.remove()
  await site.close()
})

/** Preloaded into the process: signals that trigger errors no request can cause. */
const faults = `data:text/javascript,
  process.on('SIGUSR2', () => { throw new Error('nobody catches this') });
  process.on('SIGWINCH', () => { Promise.reject(new Error('nobody waits for this')) })`.replace(/\s+/g, '%20')

async function start(options: Parameters<typeof startLectern>[0] = {}): Promise<LecternProcess> {
  const env = { LECTERN_LOG: 'info', ...options.env }
  const lectern = await startLectern({ ...options, env })
  open.push(lectern)
  return lectern
}

async function endedBy(lectern: LecternProcess, signal: NodeJS.Signals) {
  const exited = once(lectern.process, 'close')
  lectern.process.kill(signal)
  await exited
  return { code: lectern.process.exitCode, said: lectern.output.join('\n') }
}

test.each(['SIGTERM', 'SIGHUP'] as const)('%s stops Lectern gracefully', async (signal) => {
  const { code, said } = await endedBy(await start(), signal)
  expect(code).toBe(0)
  expect(said).toContain(`${signal}: Lectern stops`)
})

test('an uncaught exception is logged and ends the process; an unhandled rejection is only logged', async () => {
  const lectern = await start({ env: { NODE_OPTIONS: `--import=${faults}` } })
  lectern.process.kill('SIGWINCH')
  await expect.poll(() => lectern.output.join('\n')).toContain('nobody waits for this')
  expect((await lectern.call('GET', '/healthz')).status).toBe(200)
  const { code, said } = await endedBy(lectern, 'SIGUSR2')
  expect(code).toBe(1)
  expect(said).toContain('Lectern ends on an error that nothing caught')
  expect(said).toContain('nobody catches this')
})

test('the next start reports a kill or crash, but not a graceful stop', async () => {
  const first = await start()
  await first.kill('SIGKILL')
  const second = await endedBy(await start({ data: first.data }), 'SIGTERM')
  expect(second.said).toMatch(/Lectern \d+, started at \S+, was killed, or crashed/)
  const third = await endedBy(await start({ data: first.data }), 'SIGTERM')
  expect(third.said).not.toContain('was killed')
})

test('a closed standard output does not stop Lectern', async () => {
  const lectern = await spawnLectern({ address: site.url, env: { LECTERN_LOG: 'trace' } })
  open.push(lectern)
  await lectern.ready
  lectern.process.stdout?.destroy()
  lectern.process.stderr?.destroy()
  const first = async () => (await lectern.call('GET', '/api/v2/projects/')).body.results[0]
  await expect.poll(async () => (await first())?.last_sync).toBeTruthy()
  const { slug, last_sync } = await first()
  const run = await runEnded(lectern, slug, last_sync.uuid)
  expect(run).toMatchObject({ status: 'completed', pages: { added: 31 } })
  await lectern.call('POST', `/api/v2/projects/${slug}/recrawl/`, { url: site.url })
  expect((await lectern.call('GET', '/readyz')).status).toBe(200)
  expect(lectern.process.exitCode).toBeNull()
})

test('a first address that cannot be crawled is reported and does not end the process', async () => {
  const lectern = await start({ address: 'http://name:secret@127.0.0.1:1/' })
  await expect
    .poll(() => lectern.output.join('\n'))
    .toContain('127.0.0.1:1 could not be crawled: [invalid_argument] url: must not carry a user name')
  expect(lectern.output.join('\n')).not.toContain('secret')
  expect((await lectern.call('GET', '/healthz')).status).toBe(200)
})
