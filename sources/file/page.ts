// A file as a page: what the formats without HTML have in common.
import type { Limits } from '../../crawler/extract/limits.ts'
import type { ExtractedPage, Section } from '../../crawler/extract/page.ts'

/** `title`: null where the file gives itself none; its name is the title then. */
export function toFilePage(
  url: string,
  title: string | null,
  sections: Section[],
  limits: Limits,
): ExtractedPage {
  return {
    title: limits.title(title ?? fileName(url)),
    language: null,
    version: null,
    canonical: null,
    noindex: false,
    nofollow: false,
    boost: 1,
    keywords: [],
    sections,
    links: [],
    cut: [...limits.cut],
  }
}

export function fileName(url: string): string {
  const path = new URL(url).pathname
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return path.slice(path.lastIndexOf('/') + 1)
  }
}
