// A site ten times as large as a manual: ten copies in folders m0/ to m9/. Each copy has unique words on every
// page, so that no page duplicates another, and its start page links to the other copies.
import { hash } from '../statistics.ts'

export interface ServedPage {
  body: Buffer
  etag: string
  lastModified: string
}

/** The page below the mount's path, or null. */
export type PageFinder = (path: string) => ServedPage | null

const copies = 10

export function toTenfold(
  pages: Map<string, ServedPage>,
  toPage: (body: Buffer, modifiedMs: number) => ServedPage,
): PageFinder {
  return (path) => {
    const match = /^m(\d)\/(.*)$/.exec(path)
    const original = pages.get(match?.[2] ?? path)
    if (!original || (!match && path !== 'index.html')) return null
    const copy = match?.[1] ?? '0'
    const html = original.body.toString()
    const links = path.endsWith('index.html') ? toLinks(match ? '../' : '') : ''
    const words = `<p>This is copy ${copy}: ${toWord(`${path} a`)} ${toWord(`${path} b`)}.</p>${links}`
    // After the first heading, where every generator's main content has begun.
    return toPage(Buffer.from(html.replace('</h1>', () => `</h1>${words}`)), 0)
  }
}

function toLinks(up: string): string {
  return Array.from({ length: copies }, (_, copy) => `<a href="${up}m${copy}/index.html">${copy}</a>`).join(
    ' ',
  )
}

/** `a/b.html` → a word of letters that occurs nowhere else. */
function toWord(seed: string): string {
  return hash(seed)
    .toString(26)
    .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)
}
