// Pages for people (the start, `/demo/{slug}/`, `/console/`, `/manual/`, `/reference/`) and their files, served from memory.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import type { CallerReader } from './caller.ts'
import type { CoreClient } from './core-client.ts'
import { Refusal } from './errors.ts'
import type { Encoding, HttpRequest, HttpResponse } from './http.ts'
import { toRoute } from './rest.ts'
import { fromPath, type RestRow, toAnswer } from './rest-row.ts'
import type { Route } from './router.ts'

export interface Pages {
  /** Output of web/build.ts: `demo/index.html`, the same for every project; `console/index.html`; `widget.js`; `assets/` of all. */
  web: StaticFiles
  /** Lectern's manual, and the page that shows the descriptions of REST. Read on first use. */
  manual(): Promise<StaticFiles>
  reference(): Promise<StaticFiles>
  /** Slug of the project whose demo page `/` redirects to. Null: `/` redirects to the manual. */
  first(request: HttpRequest): Promise<string | null>
}

export function createPageRoutes({ web, manual, reference, first }: Pages): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      isLimited: true,
      async answer(request) {
        const slug = await first(request)
        const query = request.query && `?${request.query}`
        return toRedirect(slug === null ? 'manual/' : `demo/${encodeURIComponent(slug)}/${query}`)
      },
    },
    ...serve('/demo/{slug}', () => web, 'demo/'),
    ...serve('/console', () => web, 'console/').slice(0, 1),
    { method: 'GET', path: '/console/{rest}', answer: (request) => answerView(web, request) },
    ...serve('/assets', () => web, 'assets/'),
    ...serve('/manual', manual),
    ...serve('/reference', reference),
  ]
}

/** Serves the console's page at any address below it, with file links relative to that address. */
function answerView(web: StaticFiles, request: HttpRequest): HttpResponse {
  const depth = request.path.replace(/^\/console\//, '').split('/').length - 1
  return web.answer(depth === 0 ? 'console/' : `console/view-${depth}.html`, request)
}

/** Serves the files of a folder at the path and below it. */
function serve(path: string, files: () => StaticFiles | Promise<StaticFiles>, folder = ''): Route[] {
  const answer: Route['answer'] = async (request, { rest = '' }) => {
    const answer = (await files()).answer(folder + rest, request)
    return lacksSlash(request, answer) ? toRedirect(`${request.path.split('/').at(-1)}/`) : answer
  }
  return [path, `${path}/{rest}`].map((each) => ({ method: 'GET', path: each, answer }))
}

/** Relative links resolve against the page's folder, so its address must end in a slash. */
function lacksSlash(request: HttpRequest, { headers }: HttpResponse): boolean {
  return headers['content-type']?.startsWith('text/html') === true && !/\/$|\.html$/.test(request.path)
}

/** Redirects relative to the requested address: works below any public address, and never leads to another host. */
function toRedirect(path: string): HttpResponse {
  return { status: 302, headers: { location: `./${path}` }, body: '' }
}

const config: RestRow = {
  method: 'GET',
  path: '/widget-config/{slug}',
  call: ProjectService.method.getWidgetConfig,
  read: fromPath,
  write: toAnswer,
  status: 200,
}

/** For shared caches if the project is public, else for the caller's cache only. */
const maxAge = 'max-age=300'

/** Routes that the widget calls from pages of other sites: its loader, and the settings of a project. */
export function createWidgetRoutes(
  web: StaticFiles,
  deps: { core: CoreClient; caller: CallerReader },
): Route[] {
  // Surface v1 also accepts a project's UUID, which older markup uses.
  const route = toRoute(config, { ...deps, surface: 'v1' })
  return [
    {
      method: 'GET',
      path: '/widget.js',
      answer(request) {
        const answer = web.answer('widget.js', request)
        const headers = { ...everywhere, 'cache-control': `public, ${maxAge}` }
        return { ...answer, headers: { ...answer.headers, ...headers } }
      },
    },
    {
      ...route,
      async answer(request, parameters) {
        const answer = await route.answer(request, parameters)
        const scope = request.headers.authorization ? 'private' : 'public'
        const headers = { 'cache-control': `${scope}, ${maxAge}`, vary: 'authorization' }
        return { ...answer, headers: { ...answer.headers, ...headers } }
      },
    },
  ]
}

export type StaticFiles = ReturnType<typeof createStatic>

/** A name with a hash of the content. Such a file never changes, and pages of all sites may load it. */
const hashedName = /(^|[-/])[A-Z0-9]{8}\.\w+$/
const everywhere = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
const hashedHeaders = { ...everywhere, 'cache-control': 'public, max-age=31536000, immutable' }

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
}

const toPolicy = (styles: string) => [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${styles}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]

export const policies = {
  /** Pages may only run their own scripts and call this server, and never turn a string into markup. */
  own: [...toPolicy("'self'"), "require-trusted-types-for 'script'", "trusted-types 'none'"].join('; '),
  /** For the page of a library that writes styles and markup. It shows no text from callers. */
  library: toPolicy("'self' 'unsafe-inline'").join('; '),
}

/**
 * Reads all files in the folder and below it, and those of `others`: names → paths of files elsewhere.
 * Rejects if a file cannot be read.
 */
export async function openStatic(
  folder: string,
  others: Record<string, string> = {},
  policy = policies.own,
): Promise<StaticFiles> {
  const paths = new Map(Object.entries(others))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) paths.set(relative(folder, path).split(sep).join('/'), path)
  }
  const files = new Map<string, StaticFile>()
  for (const [name, path] of paths) {
    const contentType = types[extname(name)] ?? 'application/octet-stream'
    files.set(name, { contentType, body: await readFile(path) })
  }
  return createStatic(files, policy)
}

interface StaticFile {
  contentType: string
  body: Uint8Array | string
}

/** Serves files by name. The name '' is the folder itself. */
export function createStatic(contents: ReadonlyMap<string, StaticFile>, policy = policies.own) {
  const entries = [...contents].map(([name, file]) => {
    const etag = `"${createHash('sha256').update(file.body).digest('base64url').slice(0, 22)}"`
    return [name, { ...file, etag, encoded: new Map<Encoding, Promise<Uint8Array>>() }] as const
  })
  const files = new Map(entries)

  return {
    /** Serves the file of this name (`app.js`, `guide/start.html`). '' and names of folders mean their index.html. */
    answer(name: string, request: HttpRequest): HttpResponse {
      const plain = name.replace(/\/$/, '')
      const file = files.get(plain) ?? files.get(plain === '' ? 'index.html' : `${plain}/index.html`)
      if (!file) throw new Refusal('not_found', 'There is nothing at this address.')
      const headers: HttpResponse['headers'] = {
        'content-type': file.contentType,
        // Weak, because the compressed forms share it.
        etag: `W/${file.etag}`,
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
        ...(hashedName.test(plain) && hashedHeaders),
      }
      const known = request.headers['if-none-match'].split(',').map((each) => each.trim().replace(/^W\//, ''))
      if (known.includes(file.etag) || known.includes('*')) return { status: 304, headers, body: '' }
      return { status: 200, headers, body: file.body, encoded: file.encoded }
    },
  }
}
