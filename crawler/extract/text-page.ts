// The page of a text that says nothing of itself but its title: plain text, files, API descriptions.
import type { Limits } from './limits.ts'
import type { ExtractedPage, Section } from './page.ts'

/** Nothing but its sections is known of it: no language, links or directives. `keywords` within the limits. */
export function textPage(
  title: string,
  sections: Section[],
  limits: Limits,
  keywords: string[] = [],
): ExtractedPage {
  return {
    title: limits.title(title),
    language: null,
    version: null,
    canonical: null,
    noindex: false,
    nofollow: false,
    boost: 1,
    keywords: limits.keywords(keywords),
    sections,
    links: [],
    cut: [...limits.cut],
  }
}

/** The last name in an address, for texts without a title of their own. */
export function fileName(url: string): string {
  const path = (URL.parse(url)?.pathname ?? '').replace(/\/$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
