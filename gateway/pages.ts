// Pages for people (the start, `/demo/{slug}/`, `/manual/`, `/reference/`) and the files that they consist of. Files are
// read once at the start and served from memory: no request reaches the file system.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { Refusal } from './errors.ts'
import type { Answer, HttpRequest } from './http.ts'
import type { Route } from './router.ts'

export interface Pages {
  /** Files of the demo page; the same for every project. */
  demo: StaticFiles
  manual: StaticFiles
  /** The page that shows the descriptions of REST; read when it is first asked for. */
  reference(): Promise<StaticFiles>
  /** Slug of the project whose demo page `/` leads to; null: it leads to the manual. */
  first(request: HttpRequest): Promise<string | null>
}

export function createPageRoutes({ demo, manual, reference, first }: Pages): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      isLimited: true,
      async answer(request) {
        const slug = await first(request)
        return toRedirect(slug === null ? 'manual/' : `demo/${encodeURIComponent(slug)}/`)
      },
    },
    page('/demo/{slug}', () => demo, ''),
    page('/demo/{slug}/{rest}', () => demo),
    page('/manual', () => manual, ''),
    page('/manual/{rest}', () => manual),
    page('/reference', reference, ''),
    page('/reference/{rest}', reference),
  ]
}

/** `name` is the file where the path does not tell it. */
function page(path: string, files: () => StaticFiles | Promise<StaticFiles>, name?: string): Route {
  return {
    method: 'GET',
    path,
    async answer(request, { rest }) {
      const answer = (await files()).answer(name ?? rest ?? '', request)
      return lacksSlash(request, answer) ? toRedirect(`${request.path.split('/').at(-1)}/`) : answer
    },
  }
}

/** Relative links of a page count from its folder, so its address must end in a slash. */
function lacksSlash(request: HttpRequest, { headers }: Answer): boolean {
  return headers['content-type']?.startsWith('text/html') === true && !/\/$|\.html$/.test(request.path)
}

/** Relative to the address that was asked for: right below any public address, and never to another host. */
function toRedirect(path: string): Answer {
  return { status: 302, headers: { location: `./${path}` }, body: '' }
}

export interface StaticFiles {
  /** The file of this name (`app.js`, `guide/start.html`); '' and names of folders mean their index.html. */
  answer(name: string, request: HttpRequest): Answer
}

interface File extends Required<Pick<Answer, 'body' | 'encoded'>> {
  type: string
  /** Without the mark of a weak one. */
  etag: string
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

const toPolicy = (styles: string) => [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${styles}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]

export const policies = {
  /** Pages run their own scripts and call this server; nothing else, and no string ever becomes markup. */
  own: [...toPolicy("'self'"), "require-trusted-types-for 'script'", "trusted-types 'none'"].join('; '),
  /** The same for a page of a library that writes styles and markup; nothing that callers wrote is shown there. */
  library: toPolicy("'self' 'unsafe-inline'").join('; '),
}

/**
 * Reads all files of the folder, also below it, and those of `others`: names → paths of files that live elsewhere.
 * Rejects where one cannot be read.
 */
export async function openStatic(
  folder: string,
  others: Record<string, string> = {},
  policy = policies.own,
): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = new Map(Object.entries(others))
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    paths.set(relative(folder, path).split(sep).join('/'), path)
  }
  const files = new Map<string, { contentType: string; body: Uint8Array }>()
  for (const [name, path] of paths) {
    const contentType = types[extname(name)] ?? 'application/octet-stream'
    files.set(name, { contentType, body: await readFile(path) })
  }
  return createStatic(files, policy)
}

/** Serves files by name; the one named '' is that of the folder itself. */
export function createStatic(
  given: ReadonlyMap<string, { contentType: string; body: Uint8Array | string }>,
  policy = policies.own,
): StaticFiles {
  const files = new Map<string, File>()
  for (const [name, { contentType, body }] of given) {
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    files.set(name, { type: contentType, etag, body, encoded: new Map() })
  }

  return {
    answer(name, request) {
      const plain = name.replace(/\/$/, '')
      const file = files.get(plain) ?? files.get(plain === '' ? 'index.html' : `${plain}/index.html`)
      if (!file) throw new Refusal('not_found', 'There is nothing at this address.')
      const headers = {
        'content-type': file.type,
        // Weak: it is the same for the file and its compressed forms.
        etag: `W/${file.etag}`,
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
      }
      const known = request.headers['if-none-match'].split(',').map((each) => each.trim().replace(/^W\//, ''))
      if (known.includes(file.etag)) return { status: 304, headers, body: '' }
      return { status: 200, headers, body: file.body, encoded: file.encoded }
    },
  }
}
