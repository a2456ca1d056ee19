// How much a team may upload.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, startLectern } from '../e2e/lectern-process.ts'
import { makeZip } from '../make-zip.ts'
import { type Fields, file, sendForm } from './form-client.ts'

let lectern: LecternProcess
beforeAll(async () => {
  lectern = await startLectern({ env: { LECTERN_UPLOAD_LIMIT: '1' } })
  for (const name of ['One', 'Two']) await lectern.call('POST', '/api/v2/projects/', { name })
})
afterAll(() => lectern?.remove())

const pathOf = (slug: string) => `/api/v2/projects/${slug}/sources/`
const send = (slug: string, fields: Fields) => sendForm(lectern.baseUrl, pathOf(slug), fields)
const text = (kilobytes: number) => file('a.txt', 'words '.repeat(kilobytes * 170))

async function blobs(): Promise<string[]> {
  const folder = join(lectern.data, 'blobs')
  return existsSync(folder) ? readdir(folder) : []
}

test('a team has a share of the disk over all of its projects, and regains it by deleting sources', async () => {
  const { status, body } = await send('one', [['files[]', text(600)]])
  expect(status).toBe(201)
  const full = await send('two', [
    ['files[]', text(300)],
    ['files[]', text(300)],
  ])
  expect([full.status, Object.keys(full.body.fields)]).toEqual([413, ['files[1]']])
  expect(full.body.error).toContain('delete sources')
  const film = { name: 'film.bin', body: Buffer.alloc(700_000), method: 0 }
  const site = makeZip([{ name: 'index.html', body: '<p>Words.' }, film])
  const refused = await send('two', [
    ['base_url', 'https://d.example/'],
    ['site_zip', file('s.zip', site)],
  ])
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([413, ['site_zip']])
  expect(await blobs()).toHaveLength(1)

  expect((await lectern.call('DELETE', `${pathOf('one')}${body.results[0].uuid}/`)).status).toBe(204)
  expect(
    (
      await send('two', [
        ['files[]', text(300)],
        ['files[]', text(300)],
      ])
    ).status,
  ).toBe(201)
})
