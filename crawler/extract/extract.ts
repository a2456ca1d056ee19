// Main-content extraction: one HTML page to its title, sections with anchors, links and meta data.
import { cutTitle, isTitled, readHead, readWholeTitle, toBase } from './head.ts'
import { createLimits } from './limits.ts'
import { readLinks } from './links.ts'
import { findMain } from './main-element.ts'
import { createOutline, seenLine } from './outline.ts'
import type { ExtractedPage } from './page.ts'
import { toPageDom } from './page-dom.ts'
import { toPageProfile } from './profiles.ts'
import { walk } from './walk.ts'

/** Changes when the same page would give other sections: what was extracted before is then extracted again. */
export const extractorVersion = 'x7'

/**
 * Extracts a page. `url` is the address it was fetched from, absolute. Takes any text and never throws; a page
 * without content has no sections. Time and memory are linear in the page's length.
 */
export function extract(html: string, url: string): ExtractedPage {
  const dom = toPageDom(clean(html))
  const profile = toPageProfile(dom.generator, (key) => dom.candidates.has(key))
  const base = toBase(dom, url)
  const wholeTitle = readWholeTitle(dom)
  const headTitle = cutTitle(wholeTitle, profile)

  let title: string | null = null
  let headings = 0
  let tops = 0
  const limits = createLimits(html.length)
  const outline = createOutline(limits, (level, heading) => {
    const isFirst = headings++ === 0
    if (level === 1) tops++
    const isTitle = level === 1 || (isFirst && (profile.firstIsTitle || isTitled(wholeTitle, heading)))
    if (title !== null || !isTitle) return false
    title = heading
    return true
  })
  const isIndex = dom.isIndex || profile.index.some((key) => dom.candidates.has(key))
  const main = findMain(dom, profile)
  walk(main, profile, outline, main.name === 'body')
  const sections = isIndex ? [] : outline.finish()
  // Where every section has a heading of the first level, as in pages made of POD, none of them is the page's.
  if (tops > 1 && profile.name === 'plain' && headTitle !== '') title = headTitle
  const page = {
    title: limits.title(seenLine(title ?? (headTitle || sections[0]?.heading || ''))),
    ...readHead(dom, base, url, limits),
    sections,
    links: readLinks(dom, base, limits),
  }
  return { ...page, cut: [...limits.cut] }
}

/** Lone halves of a pair and null characters are no text. */
function clean(html: string): string {
  const whole = html.isWellFormed() ? html : html.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}
