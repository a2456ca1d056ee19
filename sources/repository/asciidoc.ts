// AsciiDoc files. In the mode `secure` nothing is included, and no file or address is read.
import { convert, NullLogger } from '@asciidoctor/core'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractHtmlDocument } from '../html-page.ts'
import { readFrontMatter } from './front-matter.ts'

/** Never throws on what it reads: a file that asciidoctor does not take has no text. */
export async function extractAsciidoc(text: string, url: string): Promise<ExtractedPage> {
  const { front, rest } = readFrontMatter(text)
  const body = await toHtml(rest)
  return extractHtmlDocument({ ...front, body }, url)
}

async function toHtml(text: string): Promise<string> {
  try {
    const attributes = { showtitle: true, sectanchors: null }
    // Its own logger writes warnings, with words of the file, to standard error.
    const logger = new NullLogger()
    return String(await convert(text, { safe: 'secure', standalone: false, attributes, logger }))
  } catch {
    return ''
  }
}
