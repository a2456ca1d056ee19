// What the parse threads do for Confluence: answers of its API, and pages in storage format.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractHtmlDocument } from '../html-page.ts'
import type { ParsedDocument, SourceParser } from '../source-type.ts'
import { readBodies, readPages, readSpace } from './answers.ts'
import { readStorage } from './storage.ts'
import { includedTitles, type StoredPage, toHtml } from './to-html.ts'

export const confluenceParser: SourceParser = {
  parse({ url, body }: ParsedDocument): ExtractedPage {
    const page = JSON.parse(new TextDecoder().decode(body)) as StoredPage
    const { title } = page
    const html = toHtml(page)
    if (!hasText(html)) return { ...extractHtmlDocument({ title, body: '' }, url), sections: [] }
    // Else its first heading would be taken for the title.
    return extractHtmlDocument({ title, body: `<h1>${escapeHtml(title)}</h1>${html}` }, url)
  },
  tasks: {
    space: readSpace,
    pages: readPages,
    bodies: readBodies,
    includes: (storage: string) => includedTitles(readStorage(storage)),
  },
}

const hasText = (html: string) => html.replace(/<[^>]*>/g, '').trim() !== ''
