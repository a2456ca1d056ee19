// `lectern export` and `lectern import` between two data folders, as in a migration.
import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder } from '../folder.ts'
import { runCli } from './cli.ts'
import { adminKey, type LecternProcess, startLectern } from './lectern-process.ts'
import { htmlPage, openSite } from './site.ts'

const folder = createFolder()
let before: LecternProcess

beforeAll(async () => {
  before = await startLectern({ data: join(folder, 'before'), crawlsManual: true })
  expect((await cli(before.data, 'sync', 'manual', '--wait')).code).toBe(0)
})
afterAll(async () => {
  await before?.remove()
})

const cli = (data: string, ...args: string[]) =>
  runCli(args, { LECTERN_DATA: data, LECTERN_ADMIN_KEY: adminKey, LECTERN_GRPC: before.grpc })

async function answersOf({ call }: LecternProcess) {
  const found = (q: string) => call('GET', `/api/v2/projects/manual/search/?q=${encodeURIComponent(q)}`)
  const queries = ['LECTERN_DATA', 'bakup', 'how do I cancel a sync', 'webs']
  const [chats, syncs] = await Promise.all(
    ['chats', 'syncs'].map((list) => call('GET', `/api/v2/projects/manual/${list}/`)),
  )
  const search = await Promise.all(queries.map(found))
  // Scores compare within one answer only: which of equally good candidates are examined depends on the order of indexing.
  const results = search.map(({ body }) =>
    body.results.map(({ score: _, ...result }: { score: number }) => result),
  )
  return { search: results, chats: chats!.body, syncs: syncs!.body }
}

test('a backup over REST is an export archive, and only one is created at a time', async () => {
  const { baseUrl } = before
  const headers = { authorization: `Api-Key ${adminKey}` }
  const backup = () => fetch(`${baseUrl}/api/v2/system/backup/`, { headers })
  const [first, second] = (await Promise.all([backup(), backup()])).sort(
    (one, other) => one.status - other.status,
  )
  expect(first!.headers.get('content-disposition')).toBe('attachment; filename="lectern.archive"')
  expect(await second!.json()).toMatchObject({ code: 'rate_limited' })
  const archive = join(folder, 'downloaded')
  await writeFile(archive, new Uint8Array(await first!.arrayBuffer()))
  expect(await (await backup()).text()).toMatch(/^\{"archive":2,.+\{"end":\{[^\n]+\}\}\n$/s)
  expect(existsSync(join(before.data, 'backup.snapshot'))).toBe(false)

  const data = join(folder, 'restored')
  await mkdir(data)
  await copyFile(join(before.data, 'secret'), join(data, 'secret'))
  expect(await cli(data, 'import', archive)).toMatchObject({ code: 0 })
})

test.each(['HEAD', 'GET'])('a backup whose caller leaves makes room for the next: %s', async (method) => {
  const url = `${before.baseUrl}/api/v2/system/backup/`
  const headers = { authorization: `Api-Key ${adminKey}` }
  const left = await fetch(url, { method, headers })
  expect(left.status).toBe(200)
  await left.body?.cancel()
  const next = async () => {
    const response = await fetch(url, { headers })
    return [response.status, (await response.text()).length > 1_000]
  }
  await expect.poll(next, { timeout: 30_000 }).toEqual([200, true])
})

test('an import restores the same installation in another data folder', async () => {
  const archive = join(folder, 'archive')
  await before.call('POST', '/api/v2/projects/manual/chats/', {
    message: 'How do I back up the data folder?',
  })
  const expected = await answersOf(before)

  expect(await cli(before.data, 'export', archive)).toMatchObject({ code: 0, err: '' })
  const whileRunning = await cli(before.data, 'import', archive)
  expect(whileRunning).toMatchObject({ code: 1, err: expect.stringContaining('another Lectern runs on it') })

  const data = join(folder, 'after')
  expect((await cli(data, 'import', archive)).err).toContain('LECTERN_SECRET')
  await mkdir(data, { recursive: true })
  await copyFile(join(before.data, 'secret'), join(data, 'secret'))
  const imported = await cli(data, 'import', archive)
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('Imported.') })

  const after = await startLectern({ data })
  try {
    expect(await answersOf(after)).toEqual(expected)
  } finally {
    await after.kill('SIGTERM')
  }
}, 600_000)

test('an export during a sync is consistent: each page of the archive has its text and is found', async () => {
  const count = 120
  const path = (n: number) => `/p${n}.html`
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const words = Array.from({ length: count }, (_, n) => `zq${n.toString(36)}word${n}`)
  const site = await openSite({
    '/': htmlPage(
      'Start',
      'Where it begins.',
      [...words.keys()].map((n) => path(n).slice(1)),
    ),
  })
  for (const [n, word] of words.entries())
    site.pages.set(path(n), async (_, response) => {
      if (n === 20) begun.resolve()
      // The run stays active until the export has ended; the other pages are written meanwhile.
      if (n === count - 1) await held.promise
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(htmlPage(`Page ${n}`, `The word of this page is ${word}, and no other page has it.`))
    })
  const archive = join(folder, 'live-archive')
  const data = join(folder, 'live-after')
  try {
    await before.call('POST', '/api/v2/projects/', { name: 'Live' })
    await before.call('POST', '/api/v2/projects/live/sources/', { type: 'site', url: site.url })
    const { uuid } = (await before.call('POST', '/api/v2/projects/live/sync/')).body
    await begun.promise
    expect(await cli(before.data, 'export', archive)).toMatchObject({ code: 0, err: '' })
    expect(existsSync(`${archive}.snapshot`)).toBe(false)
    expect((await before.call('GET', `/api/v2/projects/live/sync/${uuid}/`)).body.status).toBe('running')
    held.resolve()
  } finally {
    held.resolve()
    await before.call('POST', '/api/v2/projects/live/sync/').catch(() => {})
    await site.close()
  }
  await mkdir(data, { recursive: true })
  await copyFile(join(before.data, 'secret'), join(data, 'secret'))
  expect(await cli(data, 'import', archive)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Imported.'),
  })
  const after = await startLectern({ data })
  try {
    const pages = (await after.call('GET', '/api/v2/projects/live/pages/?status=indexed&limit=100')).body
    expect(pages.count).toBeGreaterThan(0)
    const numbers = pages.results.flatMap(({ title }: { title: string }) => Number(title.slice(5)) || [])
    for (const n of numbers) {
      const { results } = (await after.call('GET', `/api/v2/projects/live/search/?q=${words[n]}`)).body
      expect(results[0]?.url, words[n]).toContain(path(n))
    }
    expect((await after.call('GET', '/api/v2/projects/live/sync/')).body.status).toBe('cancelled')
  } finally {
    await after.kill('SIGTERM')
  }
}, 600_000)

test('a folder without an installation is reported and not moved', async () => {
  const [missing, empty] = [join(folder, 'no', 'such'), join(folder, 'empty')]
  await mkdir(empty)
  for (const data of [missing, empty]) {
    const archive = join(folder, 'nothing')
    const exported = await cli(data, 'export', archive)
    expect(exported).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^lectern: LECTERN_DATA: got .*\n$/),
    })
    expect(existsSync(archive)).toBe(false)
  }
  expect(existsSync(missing)).toBe(false)
})
