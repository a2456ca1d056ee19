// The addresses a page links to.
import { resolve } from './head.ts'
import { type PageDom, relations } from './page-dom.ts'

/**
 * Absolute http(s) addresses without fragment, in document order, each once; `rel=nofollow` is left out. `room`: characters
 * of all together, for short links become long ones behind a long base.
 */
export function readLinks(dom: PageDom, base: string, room: number): string[] {
  const seen = new Set<string>()
  const links = new Set<string>()
  let length = 0
  for (const link of dom.links) {
    const href = link.href!
    const hash = href.indexOf('#')
    const target = hash < 0 ? href : href.slice(0, hash)
    if (link.rel !== undefined && relations(link).includes('nofollow')) continue
    // Most links of a page repeat; resolving is what costs.
    if (seen.has(target) || (target === '' && hash === 0)) continue
    seen.add(target)
    const url = resolve(target, base)
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) continue
    length += url.href.length
    if (length > room) break
    links.add(url.href)
  }
  return [...links]
}
