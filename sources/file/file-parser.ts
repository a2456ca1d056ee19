// Work for uploaded files in the parse threads: extracts text by format, and checks whether a file can be read.
import { decodeHtml } from '../../crawler/extract/charset.ts'
import { createLimits, type ExtractedPage, fileName, textPage } from '../../crawler/extract/page.ts'
import { extractPlainText } from '../../crawler/extract/plain-text.ts'
import type { ParsedDocument, SourceParser } from '../source-type.ts'
import { isBinary } from '../web/web-parser.ts'
import { BadFile, fileEndings, formatOfFile } from './formats.ts'

/** Rejects with BadFile. A format's library is loaded with the first file of that format. */
type Extract = (body: Uint8Array, url: string) => Promise<ExtractedPage>

const text =
  (extract: (text: string, url: string) => ExtractedPage): Extract =>
  async (body, url) => {
    if (isBinary(body)) throw new BadFile('is no text')
    return { ...extract(decodeHtml(body, 'text/plain'), url), canonical: null, links: [] }
  }

const formats: Record<string, Extract> = {
  pdf: async (body, url) => (await import('./pdf.ts')).extractPdf(body, url),
  docx: async (body, url) => (await import('./docx.ts')).extractDocx(body, url),
  xlsx: async (body, url) => (await import('./xlsx.ts')).extractXlsx(body, url),
  csv: async (body, url) => text((await import('./tables.ts')).extractCsv)(body, url),
  md: async (body, url) => {
    const { extractMarkdownFile } = await import('../markup.ts')
    try {
      return await text(extractMarkdownFile)(body, url)
    } catch (error) {
      throw error instanceof RangeError ? new BadFile('nests too deep') : error
    }
  },
  txt: text(extractPlainText),
}

export const fileParser: SourceParser = {
  async parse({ url, body }: ParsedDocument) {
    try {
      return await extractFile(body, fileName(url))
    } catch (error) {
      if (!(error instanceof BadFile)) throw error
      return textPage(fileName(url), [], createLimits(0))
    }
  },
  tasks: {
    /** Rejects with BadFile unless the file has text. */
    async check(body: Uint8Array, name: string): Promise<void> {
      const { sections } = await extractFile(body, name)
      const hasText = sections.some(({ heading, blocks }) => heading !== '' || blocks.length > 0)
      if (!hasText) throw new BadFile('has no text')
    },
  },
}

/** Rejects with BadFile. */
export async function extractFile(body: Uint8Array, name: string): Promise<ExtractedPage> {
  const ending = formatOfFile(name)
  if (ending === null) throw new BadFile(`is of a kind that is not read: ${fileEndings.join(', ')} are`)
  return formats[ending]!(body, `https://file.invalid/${encodeURIComponent(name)}`)
}
