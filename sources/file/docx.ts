// DOCX files (Office Open XML, ECMA-376 part 1, 17): headings by their styles, lists, tables and code.
// References to outside the file are never followed.
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

/** Elements with hidden content. */
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

/** Style names are the same in all languages: "heading 1", "Title". */
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

const tables = new Map(Object.entries({ tbl: 'table', tr: 'tr', tc: 'td' }))
/** Elements that represent a character. */
const characters = new Map(Object.entries({ tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' }))

function createHtml(styles: Map<string, Style>) {
  const slugs = createSlugs()
  const html: string[] = []
  let title: string | null = null
  /** Open paragraphs, the innermost last. A text box is inside a paragraph and contains paragraphs. */
  const open: Paragraph[] = []
  /** The open list or code block of the preceding paragraphs. */
  let group: 'ul' | 'pre' | null = null
  let hidden = 0

  /** Adds HTML in the group `within`, or outside groups if null. */
  function add(text: string, within: typeof group = null) {
    if (group !== within) {
      if (group !== null) html.push(`</${group}>`)
      if (within !== null) html.push(`<${within}>`)
      group = within
    }
    html.push(text)
  }

  function endParagraph({ text, style, isItem }: Paragraph) {
    const seen = escapeHtml(text)
    if (style.isCode) add(`${seen}\n`, 'pre')
    else if (text.trim() === '') return
    else if (style.level === null)
      if (isItem || style.isItem) add(`<li>${seen}</li>`, 'ul')
      else add(`<p>${seen}</p>`)
    else if (style.level > 0)
      add(`<h${style.level} id="${escapeHtml(slugs(text.trim()))}">${seen}</h${style.level}>`)
    else {
      title ??= text.trim()
      add(`<h1>${seen}</h1>`)
    }
  }

  return {
    title: () => title,
    html() {
      add('')
      return html.join('')
    },
    reader: {
      open(name: string, { val = '' }: Record<string, string>) {
        if (unseen.has(name)) hidden += 1
        if (hidden > 0) return
        const paragraph = open.at(-1)
        if (tables.has(name)) add(`<${tables.get(name)}>`)
        else if (name === 'p') open.push({ text: '', style: toStyle(''), isItem: false })
        else if (paragraph === undefined) return
        else if (name === 'pStyle') paragraph.style = styles.get(val) ?? toStyle(val)
        else if (name === 'numPr') paragraph.isItem = true
        else paragraph.text += characters.get(name) ?? ''
      },
      close(name: string, text: string) {
        if (unseen.has(name)) hidden -= 1
        else if (hidden > 0) return
        else if (name === 't' && open.length > 0) open.at(-1)!.text += text
        else if (name === 'p' && open.length > 0) endParagraph(open.pop()!)
        else if (tables.has(name)) add(`</${tables.get(name)}>`)
      },
    },
  }
}
