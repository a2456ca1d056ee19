// Which canonical addresses are followed (decisions.md section 5, skip reason `canonical`).
import type { SourceCrawl } from './source-crawl.ts'

/** The address that a page names in its own place, if that is another page that the source would take; null if not. */
export function canonicalElsewhere(
  source: SourceCrawl,
  url: string,
  canonical: string | null,
): string | null {
  const counts =
    canonical !== null && spelling(canonical) !== spelling(url) && source.scope.admits(canonical) === 'in'
  return counts ? canonical : null
}

/**
 * `http://a.org/b`, `https://a.org/b/`, `https://a.org/b.html` and `https://a.org/b/index.html` are one page, or lead to
 * each other: taken at its word, a page that names the spelling that redirects to it would never be indexed.
 */
function spelling(url: string): string {
  return url.replace(/^http:/, 'https:').replace(/(?:\/index)?\.html?$|\/$/, '')
}
