// Every end of the process leaves a log line, and errors that need not end it do not.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolder } from '../folder.ts'
import { type LecternProcess, runEnded, spawnLectern, startLectern } from './lectern-process.ts'
import { htmlPage, openSite } from './site.ts'

const open: LecternProcess[] = []
const links = Array.from({ length: 30 }, (_, at) => `/p${at}.html`)
const site = await openSite({ '/': htmlPage('Start', 'All pages', links) })
for (const link of links) site.pages.set(link, htmlPage(link, `Words of ${link}`))
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

test('an uncaught exception is logged and ends the process; an unhandled rejection is only logged', async () => {
  const lectern = await start({ env: { NODE_OPTIONS: `--import=${faults}` } })
  lectern.process.kill('SIGWINCH')
  await expect.poll(() => lectern.output.join('\n')).toContain('nobody waits for this')
  expect((await lectern.call('GET', '/healthz')).status).toBe(200)
  const { code, said } = await endedBy(lectern, 'SIGUSR2')
  expect(code).toBe(1)
  expect(said).toContain('Lectern exits: an error was not caught')
  expect(said).toContain('nobody catches this')
})

test('SIGTERM and SIGHUP stop Lectern gracefully; the next start reports only a kill or crash', async () => {
  const first = await start()
  await first.kill('SIGKILL')
  const second = await endedBy(await start({ data: first.data }), 'SIGTERM')
  expect(second.code).toBe(0)
  expect(second.said).toMatch(/Lectern \d+, started at \S+, was killed, or crashed/)
  expect(second.said).toContain('SIGTERM: Lectern stops')
  const third = await endedBy(await start({ data: first.data }), 'SIGHUP')
  expect(third.code).toBe(0)
  expect(third.said).not.toContain('was killed')
  expect(third.said).toContain('SIGHUP: Lectern stops')
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

test('a first address that cannot be crawled and unavailable models are reported and do not end the process', async () => {
  // Nothing listens on port 1. No model can be downloaded into a file, so no request is sent for it.
  const models = join(createFolder(), 'models')
  await writeFile(models, '')
  const lectern = await start({
    address: 'http://name:secret@127.0.0.1:1/',
    env: {
      ...{ LECTERN_LLM_URL: 'http://127.0.0.1:1/v1', LECTERN_LLM_MODEL: 'scripted' },
      ...{ LECTERN_LLM_KEY: 'sk-hunter2-hunter2', LECTERN_EMBEDDINGS: 'local', LECTERN_MODELS: models },
    },
  })
  const said = () => lectern.output.join('\n')
  await expect
    .poll(said)
    .toContain('127.0.0.1:1 could not be crawled: [invalid_argument] url: must not carry a user name')
  await expect.poll(said).toContain('LECTERN_LLM_URL: the language model at 127.0.0.1:1 does not answer.')
  const lines = () => lectern.output.filter((line) => line.includes('no embedding model'))
  await expect
    .poll(() => lines().map((line) => JSON.parse(line).msg))
    .toEqual([
      expect.stringMatching(
        /^no embedding model, search uses words only: .*all-minilm-l6-v2: cannot be made/,
      ),
    ])
  expect(said()).not.toMatch(/secret|hunter2/)
  expect(await lectern.call('GET', '/readyz')).toEqual({
    status: 200,
    body: { status: 'ready', away: ['model'] },
  })
})
