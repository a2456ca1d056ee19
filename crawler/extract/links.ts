// The addresses a page links to.
import { resolve } from './head.ts'
import type { Limits } from './limits.ts'
import { type PageDom, relations } from './page-dom.ts'

/**
 * Absolute http(s) addresses without fragment, in document order, each once; `rel=nofollow` is left out. Each
 * must have room: short links become long ones behind a long base.
 */
export function readLinks(dom: PageDom, base: string, limits: Limits): string[] {
  const seen = new Set<string>()
  const links = new Set<string>()
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
    if (!links.has(url.href) && !limits.hasRoom(url.href)) break
    links.add(url.href)
  }
  return [...links]
}
