// Parses a web page: HTML, Markdown or plain text, by content type.
import { decodeHtml, markedCharset } from '../../crawler/extract/charset.ts'
import { extract } from '../../crawler/extract/extract.ts'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractPlainText } from '../../crawler/extract/plain-text.ts'
import type { SourceParser } from '../source-type.ts'

export const webParser: SourceParser = {
  parse({ url, body, contentType }) {
    const text = isBinary(body) ? '' : decodeHtml(body, contentType)
    const [, type] = /^\s*text\/(plain|(?:x-)?markdown)\b/i.exec(contentType ?? '') ?? []
    // All other types are read as HTML.
    if (type === undefined) return extract(text, url)
    return type.toLowerCase() === 'plain' ? extractPlainText(text, url) : extractMarkdown(text, url)
  },
}

const sampleBytes = 4_096
const maxControls = 0.02

/** Whether the body has several bytes that text never has, such as an image with a wrong content type. UTF-16 needs a byte order mark. */
export function isBinary(body: Uint8Array): boolean {
  if (markedCharset(body)?.startsWith('utf-16')) return false
  const sample = body.subarray(0, sampleBytes)
  const controls = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)).length
  return controls > maxControls * sample.length
}

/** Removes anchors: they depend on the site's renderer. */
async function extractMarkdown(text: string, url: string): Promise<ExtractedPage> {
  const { extractMarkdownFile } = await import('../markup.ts')
  try {
    const page = extractMarkdownFile(text, url)
    return { ...page, sections: page.sections.map((section) => ({ ...section, anchor: null })) }
  } catch (error) {
    // Nested too deep.
    if (error instanceof RangeError) return extractPlainText(text, url)
    throw error
  }
}
