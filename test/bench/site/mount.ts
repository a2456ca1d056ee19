// The content of a folder of the served site. A mount is plain data, so that it can be passed to the server's process.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CorpusPart, createCorpus } from '../corpus/corpus.ts'
import { type PageFinder, type ServedPage, toTenfold } from './tenfold.ts'

export type Mount =
  /** The HTML files of a folder, and a sitemap.xml of all of them, because not every manual links to each of its pages. */
  | { kind: 'folder'; path: string; root: string }
  /** Ten copies of them in folders m0/ to m9/, each with unique words and links. */
  | { kind: 'tenfold'; path: string; root: string }
  /** Pages made of the sections in a file, see corpus/corpus.ts. */
  | { kind: 'corpus'; path: string; file: string; pages: number }

/** Reads the mount's files into memory. */
export function openMount(mount: Mount): PageFinder {
  if (mount.kind === 'corpus') {
    const corpus = createCorpus(JSON.parse(readFileSync(mount.file, 'utf8')) as CorpusPart[])
    return (path) => {
      const html = corpus.page(path, mount.pages)
      return html === null ? null : toPage(Buffer.from(html), 0)
    }
  }
  const pages = new Map(
    globSync('**/*.html', { cwd: mount.root }).map((path) => {
      const file = join(mount.root, path)
      return [path, toPage(readFileSync(file), statSync(file).mtimeMs)] as const
    }),
  )
  if (mount.kind === 'tenfold') return toTenfold(pages, toPage)
  const urls = [...pages.keys()].map((path) => `<url><loc>${encodeURI(mount.path + path)}</loc></url>`)
  pages.set('sitemap.xml', toPage(Buffer.from(`<urlset>${urls.join('')}</urlset>`), 0))
  return (path) => pages.get(path) ?? null
}

function toPage(body: Buffer, modifiedMs: number): ServedPage {
  return {
    body,
    etag: `"${createHash('sha1').update(body).digest('base64url')}"`,
    lastModified: new Date(modifiedMs).toUTCString(),
  }
}
