// Serves files of a folder, and nothing else.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../test/folder.ts'
import type { HttpRequest } from './http.ts'
import { createPageRoutes, openStatic } from './pages.ts'
import { createRouter } from './router.ts'

const root = createFolder()
let first: string | null = null
await writeFile(join(root, 'secret.txt'), 'secret')
const contents = {
  'index.html': '<h1>Start</h1>',
  'app.js': 'run()',
  'guide/index.html': '<h1>Guide</h1>',
  'demo/index.html': '<h1>Demo</h1>',
  'demo/app.js': 'demo()',
  'console/index.html': '<h1>Console</h1>',
  'console/view-2.html': '<h1>Two folders down</h1>',
  'assets/app-4KZ6UTQK.js': 'run()',
}
for (const [name, content] of Object.entries(contents)) {
  await mkdir(dirname(join(root, 'site', name)), { recursive: true })
  await writeFile(join(root, 'site', name), content)
}
const files = await openStatic(join(root, 'site'))

function get(path: string, etag = '', query = '') {
  const pages = {
    web: files,
    manual: async () => files,
    reference: async () => files,
    first: async () => first,
  }
  const router = createRouter(createPageRoutes(pages))
  const request = { path, query, headers: { 'if-none-match': etag } } as HttpRequest
  const { route, parameters } = router.match('GET', path)
  return route.answer(request, parameters)
}

describe('pages', () => {
  it.each([
    ['/demo/docs/', 'text/html; charset=utf-8', '<h1>Demo</h1>'],
    ['/demo/docs/app.js', 'text/javascript; charset=utf-8', 'demo()'],
    ['/console/', 'text/html; charset=utf-8', '<h1>Console</h1>'],
    ['/console/projects/docs/runs', 'text/html; charset=utf-8', '<h1>Two folders down</h1>'],
    ['/manual/', 'text/html; charset=utf-8', '<h1>Start</h1>'],
    ['/reference/', 'text/html; charset=utf-8', '<h1>Start</h1>'],
    ['/manual/guide/', 'text/html; charset=utf-8', '<h1>Guide</h1>'],
    ['/manual/guide/index.html', 'text/html; charset=utf-8', '<h1>Guide</h1>'],
  ])('%s', async (path, type, text) => {
    const { status, headers, body } = await get(path)
    expect([status, headers['content-type'], Buffer.from(body).toString()]).toEqual([200, type, text])
    const policy = headers['content-security-policy']
    expect(policy).toContain("default-src 'none'; script-src 'self'")
    expect(policy).toContain(
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
  })

  it('and hashed files are cached by browsers, and pages of all sites may load them', async () => {
    const { headers } = await get('/assets/app-4KZ6UTQK.js')
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect((await get('/demo/docs/')).headers['cache-control']).toBe('no-cache')
  })

  it('are not sent again to a reader who has them', async () => {
    const script = await get('/demo/docs/app.js')
    expect((await get('/demo/docs/app.js', script.headers.etag)).status).toBe(304)
    const { headers } = await get('/manual/')
    for (const etag of [headers.etag!, headers.etag!.slice(2), `"x", ${headers.etag}`, '*']) {
      expect((await get('/manual/', etag)).status).toBe(304)
    }
    expect((await get('/manual/', '"x"')).status).toBe(200)
  })

  it.each(['/manual', '/demo/docs', '/console', '/manual/guide'])(
    '%s redirects to its slash',
    async (path) => {
      expect(await get(path)).toMatchObject({
        status: 302,
        headers: { location: `./${path.split('/').at(-1)}/` },
      })
    },
  )

  it('the start redirects to the first project, or to the manual', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: './manual/' } })
    first = 'docs'
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: './demo/docs/' } })
    expect(await get('/', '', 'q=a%20b')).toMatchObject({ headers: { location: './demo/docs/?q=a%20b' } })
  })

  it.each([
    '/manual/../secret.txt',
    '/manual/..%2fsecret.txt',
    '/manual/%2e%2e/secret.txt',
    '/manual/guide/../app.js',
    '/manual/constructor',
    '/manual/nothing.js',
    '/console/a/b/c/d/e/f/g',
  ])('has nothing at %s', async (path) => {
    await expect(async () => get(path)).rejects.toMatchObject({ reason: 'not_found' })
  })
})
