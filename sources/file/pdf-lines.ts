// The lines of a PDF's pages, in the order in which they are drawn, with what tells headings, code and running titles apart.
import { getDocumentProxy } from 'unpdf'
import { BadFile } from './bad-file.ts'

const maxPages = 5_000
/** Milliseconds for all pages; what has not been read by then is left out. */
const timeout = 40_000
/** Characters of all pages. */
const maxText = 20_000_000

export interface Line {
  text: string
  /** Size of its letters. */
  size: number
  isCode: boolean
  /** Distance from the bottom of the page; of the line before, where it stands above this one. */
  y: number
}

interface PdfText {
  title: string | null
  language: string | null
  /** Page by page; empty for one that cannot be read. */
  pages: Line[][]
  /** Whether pages were left out. */
  isCut: boolean
}

/** Throws BadFile. */
export async function readPdf(body: Uint8Array): Promise<PdfText> {
  const document = await open(body)
  try {
    const { title, language } = await readNames(document)
    const pages: Line[][] = []
    const end = performance.now() + timeout
    let length = 0
    const count = Math.min(document.numPages, maxPages)
    while (pages.length < count && performance.now() < end && length < maxText) {
      const lines = await readLines(document, pages.length + 1).catch(() => [])
      for (const { text } of lines) length += text.length
      pages.push(lines)
    }
    return { title, language, pages, isCut: pages.length < document.numPages }
  } finally {
    await document.loadingTask.destroy()
  }
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

async function open(body: Uint8Array): Promise<Document> {
  try {
    return await getDocumentProxy(new Uint8Array(body), {
      // Nothing of the file is run, drawn or fetched.
      ...{ isEvalSupported: false, disableFontFace: true, useSystemFonts: false, enableXfa: false },
      ...{ disableAutoFetch: true, disableStream: true, maxImageSize: 1, verbosity: 0 },
    })
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new BadFile(
      isLocked ? 'is encrypted: it opens with a password alone' : 'is no PDF that can be read',
    )
  }
}

async function readNames(document: Document): Promise<Pick<PdfText, 'title' | 'language'>> {
  const info = await document.getMetadata().then(
    (metadata) => metadata.info as Record<string, unknown>,
    () => ({}) as Record<string, unknown>,
  )
  const read = (name: string) => (typeof info[name] === 'string' ? info[name].trim() : '')
  const title = read('Title')
  const language = read('Language')
  return {
    // Programs put the name of their own file there.
    title: title === '' || /^untitled|\\|\.\w{2,4}$/i.test(title) ? null : title,
    language: /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language) ? language.toLowerCase() : null,
  }
}

async function readLines(document: Document, number: number): Promise<Line[]> {
  const page = await document.getPage(number)
  const { items, styles } = await page.getTextContent()
  const lines: Line[] = []
  let line: Line | null = null
  for (const item of items) {
    if (!('str' in item)) continue
    const [, , , , , y] = item.transform as number[]
    // Letters of another height stand in the same line: an index, a footnote's number.
    if (line !== null && Math.abs(line.y - y!) > Math.max(line.size, item.height) / 2) line = null
    if (line === null) {
      line = { text: '', size: 0, isCode: true, y: y! }
      lines.push(line)
    }
    line.text += item.str
    if (item.str.trim() !== '') {
      line.size = Math.max(line.size, item.height)
      line.isCode &&= styles[item.fontName]?.fontFamily === 'monospace'
    }
    if (item.hasEOL) line = null
  }
  page.cleanup()
  return lines.filter(({ text }) => text.trim() !== '')
}
