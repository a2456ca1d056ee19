// Markdown and MDX files: front matter, headings with the anchors that hosts give them, code, lists and tables.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import { Marked } from 'marked'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { createSlugs, extractHtmlDocument } from '../html-page.ts'
import { readFrontMatter } from './front-matter.ts'

/** Throws RangeError where the text nests too deep for the stack. */
export function extractMarkdownFile(text: string, url: string, { isMdx = false } = {}): ExtractedPage {
  const { front, rest } = readFrontMatter(text)
  return extractHtmlDocument({ ...front, body: toHtml(isMdx ? withoutScript(rest) : rest) }, url)
}

/** Throws RangeError as extractMarkdownFile does. */
export function toHtml(markdown: string): string {
  const slugs = createSlugs()
  const marked = new Marked({ gfm: true, async: false })
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        // `## Title {#its-anchor}`, where a builder takes it.
        const [, own] = /\{#([\w-]{1,200})\}\s*$/.exec(text) ?? []
        const html = this.parser.parseInline(tokens).replace(/\s*\{#[\w-]{1,200}\}\s*$/, '')
        const id = own ?? slugs(html.replace(/<[^>]{0,500}>/g, '').replace(/&[a-z#0-9]+;/g, ''))
        return `<h${depth} id="${escapeHtml(id)}">${html}</h${depth}>\n`
      },
    },
  })
  return marked.parse(markdown) as string
}

/** What of MDX is program: imports, exports and expressions. Its elements are read as those of HTML. Code stays as it is. */
function withoutScript(text: string): string {
  let fence: string | null = null
  let inStatement = false
  const lines = text.split('\n').filter((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? null
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
      return true
    }
    if (mark !== null) {
      fence = mark
      return true
    }
    // A statement goes on to the next empty line.
    if (/^(?:import|export)\s/.test(line)) inStatement = true
    if (line.trim() === '') inStatement = false
    return !inStatement
  })
  return lines.join('\n').replace(/\{\/\*[\s\S]*?\*\/\}/g, '')
}
