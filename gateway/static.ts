// Files of a folder, read once at the start and served from memory: nothing outside the folder can be asked for.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { Answer, HttpRequest } from './http.ts'
import { Refusal } from './refusal.ts'

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
