// Extracts the page of a document that was converted to HTML. Heading anchors are slugs, as on the hosts of such documents.
import { decodeHTML } from 'entities/decode'
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import { extract } from '../crawler/extract/extract.ts'
import { createLimits, type ExtractedPage, fileName } from '../crawler/extract/page.ts'

interface HtmlDocument {
  /** Null: use the first heading, else the file's name. */
  title: string | null
  description?: string | null
  language?: string | null
  keywords?: string[]
  body: string
}

/** Never throws. */
export function extractHtmlDocument(document: HtmlDocument, url: string): ExtractedPage {
  const { description = null, language = null, keywords = [], body } = document
  const title = document.title ?? firstHeading(body) ?? fileName(url)
  const head = `<title>${escapeHtml(title)}</title><meta name="keywords" content="${escapeHtml(keywords.join(','))}">`
  const lead = description === null ? '' : `<p>${escapeHtml(description)}</p>`
  const lang = language === null ? '' : ` lang="${escapeHtml(language)}"`
  const { named: _, ...page } = extract(
    `<!doctype html><html${lang}><head>${head}</head><body><main>${lead}${body}</main></body></html>`,
    url,
  )
  const pageTitle = document.title === null ? page.title : createLimits(body.length).title(document.title)
  // Instructions for web crawlers do not apply to files.
  return { ...page, title: pageTitle, canonical: null, noindex: false, nofollow: false, links: [] }
}

function firstHeading(html: string): string | null {
  const heading = /<h1\b[^>]{0,500}>([\s\S]{0,1000}?)<\/h1>/i.exec(html)?.[1]
  const text = heading?.replace(/<[^>]{0,500}>/g, '').trim()
  return text ? decodeHTML(text) : null
}

/** `Getting started!` → `getting-started`, the second `getting-started-1`, as on GitHub and in most site generators. */
export function createSlugs(): (heading: string) => string {
  const number = createNumbering('-')
  return (heading) => {
    const name = heading.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    return number(name.replaceAll(' ', '-'))
  }
}

/** Numbers repeated names: the second `a` becomes `a`, the mark and 1. */
export function createNumbering(mark: string): (name: string) => string {
  const counts = new Map<string, number>()
  return (name) => {
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    return count === 0 ? name : `${name}${mark}${count}`
  }
}
