// Documents of word processors (Office Open XML, ECMA-376 part 1, 17): headings by their styles, lists, tables and code.
// What the document refers to outside itself is never looked at.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { createSlugs, extractHtmlDocument } from '../html-page.ts'
import { BadFile } from './formats.ts'
import { type OfficeParts, openParts } from './office.ts'

interface Style {
  /** 1 to 6 for a heading, 0 for the document's title, null for text. */
  level: number | null
  isCode: boolean
  isItem: boolean
}

/** Elements whose content a reader does not see. */
const unseen = new Set(['del', 'moveFrom', 'instrText', 'Fallback', 'rPr', 'sectPr'])

/** Throws BadFile. */
export async function extractDocx(body: Uint8Array, url: string): Promise<ExtractedPage> {
  const parts = await openParts(body)
  const styles = await readStyles(parts)
  const document = createHtml(styles)
  const isThere = await parts.read('word/document.xml', document.reader)
  if (!isThere) throw new BadFile('holds no text document')
  for (const notes of ['word/footnotes.xml', 'word/endnotes.xml']) await parts.read(notes, document.reader)
  return extractHtmlDocument({ title: document.title(), body: document.html() }, url)
}

async function readStyles(parts: OfficeParts): Promise<Map<string, Style>> {
  const styles = new Map<string, Style>()
  let id = ''
  await parts.read('word/styles.xml', {
    open(name, { styleId, val = '' }) {
      if (name === 'style' && styleId !== undefined) {
        id = styleId
        styles.set(id, toStyle(id))
      } else if (name === 'name' && id !== '') styles.set(id, toStyle(val))
      else if (name === 'outlineLvl' && /^[0-5]$/.test(val)) {
        const style = styles.get(id)
        if (style) style.level ??= Number(val) + 1
      }
    },
  })
  return styles
}

/** By the names that styles have in every language's file: "heading 1", "Title". */
function toStyle(name: string): Style {
  const level = /^heading ?([1-6])$/i.exec(name)?.[1]
  const isTitle = /^title$/i.test(name)
  return {
    level: isTitle ? 0 : level === undefined ? null : Number(level),
    isItem: /^list (?:bullet|number|paragraph)/i.test(name),
    isCode: /\bcode\b|preformatted|source ?text/i.test(name),
  }
}

interface Paragraph {
  text: string
  style: Style
  isItem: boolean
}

function createHtml(styles: Map<string, Style>) {
  const slugs = createSlugs()
  const html: string[] = []
  let title: string | null = null
  /** Paragraphs around the open one: a text box is inside a paragraph and contains others. */
  const around: Paragraph[] = []
  let paragraph: Paragraph | null = null
  /** What the paragraphs before are gathered in. */
  let group: 'ul' | 'pre' | null = null
  let hidden = 0
  let isText = false

  function endGroup() {
    if (group !== null) html.push(`</${group}>`)
    group = null
  }

  function within(tag: 'ul' | 'pre', text: string) {
    if (group !== tag) {
      endGroup()
      html.push(`<${tag}>`)
      group = tag
    }
    html.push(tag === 'ul' ? `<li>${text}</li>` : `${text}\n`)
  }

  function endParagraph({ text, style, isItem }: Paragraph) {
    const seen = escapeHtml(text)
    if (style.isCode) return within('pre', seen)
    if (text.trim() === '') return
    if (style.level === null && (isItem || style.isItem)) return within('ul', seen)
    endGroup()
    if (style.level === 0) {
      title ??= text.trim()
      html.push(`<h1>${seen}</h1>`)
    } else if (style.level === null) html.push(`<p>${seen}</p>`)
    else html.push(`<h${style.level} id="${escapeHtml(slugs(text.trim()))}">${seen}</h${style.level}>`)
  }

  const tables: Record<string, string> = { tbl: 'table', tr: 'tr', tc: 'td' }
  return {
    title: () => title,
    html() {
      endGroup()
      return html.join('')
    },
    reader: {
      open(name: string, { val = '' }: Record<string, string>) {
        if (unseen.has(name)) hidden += 1
        if (hidden > 0) return
        if (name in tables) {
          endGroup()
          html.push(`<${tables[name]}>`)
        } else if (name === 'p') {
          if (paragraph !== null) around.push(paragraph)
          paragraph = { text: '', style: toStyle(''), isItem: false }
        } else if (paragraph === null) return
        else if (name === 'pStyle') paragraph.style = styles.get(val) ?? toStyle(val)
        else if (name === 'numPr') paragraph.isItem = true
        else if (name === 't') isText = true
        else if (name === 'tab' || name === 'br' || name === 'cr')
          paragraph.text += name === 'tab' ? '\t' : '\n'
        else if (name === 'noBreakHyphen') paragraph.text += '-'
      },
      text(text: string) {
        if (isText && paragraph !== null) paragraph.text += text
      },
      close(name: string) {
        if (unseen.has(name)) hidden -= 1
        else if (hidden > 0) return
        else if (name === 't') isText = false
        else if (name === 'p' && paragraph !== null) {
          endParagraph(paragraph)
          paragraph = around.pop() ?? null
        } else if (name in tables) {
          endGroup()
          html.push(`</${tables[name]}>`)
        }
      },
    },
  }
}
