// Files of a folder, and nothing beside them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpRequest } from './http.ts'
import { createPageRoutes, openStatic, type StaticFiles } from './pages.ts'
import { createRouter } from './router.ts'

let root: string
let files: StaticFiles
let first: string | null = null
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-static-'))
  await mkdir(join(root, 'site', 'guide'), { recursive: true })
  await writeFile(join(root, 'secret.txt'), 'secret')
  await writeFile(join(root, 'site', 'index.html'), '<h1>Start</h1>')
  await writeFile(join(root, 'site', 'app.js'), 'run()')
  await writeFile(join(root, 'site', 'guide', 'index.html'), '<h1>Guide</h1>')
  files = await openStatic(join(root, 'site'))
})
afterAll(() => rm(root, { recursive: true }))

function get(path: string, etag = '') {
  const pages = { web: files, manual: files, reference: async () => files, first: async () => first }
  const router = createRouter(createPageRoutes(pages))
  const request = { path, headers: { 'if-none-match': etag } } as HttpRequest
  const { route, parameters } = router.match('GET', path)
  return route.answer(request, parameters)
}

describe('pages', () => {
  it.each([
    ['/demo/docs/', 'text/html; charset=utf-8', '<h1>Start</h1>'],
    ['/demo/docs/app.js', 'text/javascript; charset=utf-8', 'run()'],
    ['/manual/', 'text/html; charset=utf-8', '<h1>Start</h1>'],
    ['/reference/', 'text/html; charset=utf-8', '<h1>Start</h1>'],
    ['/manual/guide/', 'text/html; charset=utf-8', '<h1>Guide</h1>'],
    ['/manual/guide/index.html', 'text/html; charset=utf-8', '<h1>Guide</h1>'],
  ])('%s', async (path, type, text) => {
    const { status, headers, body } = await get(path)
    expect([status, headers['content-type'], Buffer.from(body).toString()]).toEqual([200, type, text])
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
  })

  it('are not sent again to a reader who has them', async () => {
    const script = await get('/demo/docs/app.js')
    expect((await get('/demo/docs/app.js', script.headers.etag)).status).toBe(304)
    const { headers } = await get('/manual/')
    for (const etag of [headers.etag!, headers.etag!.slice(2), `"x", ${headers.etag}`]) {
      expect((await get('/manual/', etag)).status).toBe(304)
    }
    expect((await get('/manual/', '"x"')).status).toBe(200)
  })

  it.each(['/manual', '/demo/docs', '/manual/guide'])('%s leads to its slash', async (path) => {
    expect(await get(path)).toMatchObject({
      status: 302,
      headers: { location: `./${path.split('/').at(-1)}/` },
    })
  })

  it('the start leads to the first project, or to the manual', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: './manual/' } })
    first = 'docs'
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: './demo/docs/' } })
  })

  it.each([
    '/manual/../secret.txt',
    '/manual/..%2fsecret.txt',
    '/manual/%2e%2e/secret.txt',
    '/manual/guide/../app.js',
    '/manual/constructor',
    '/manual/nothing.js',
  ])('there is nothing at %s', async (path) => {
    await expect(async () => get(path)).rejects.toMatchObject({ reason: 'not_found' })
  })
})
