// A page of the web: HTML, Markdown or plain text, by its content type.
import { decodeHtml, markedCharset } from '../../crawler/extract/charset.ts'
import { extract } from '../../crawler/extract/extract.ts'
import { extractMarkdown, extractPlainText } from '../../crawler/extract/plain-text.ts'
import type { SourceParser } from '../source-type.ts'

export const webParser: SourceParser = {
  parse({ url, body, contentType }) {
    const text = isBinary(body) ? '' : decodeHtml(body, contentType)
    return chooseReader(contentType)(text, url)
  },
}

const sampleBytes = 4_096
const maxControls = 0.02

/** Bytes that no text holds, in more than a few places: an image or an archive that is called a page. UTF-16 has a mark. */
export function isBinary(body: Uint8Array): boolean {
  if (markedCharset(body)?.startsWith('utf-16')) return false
  const sample = body.subarray(0, sampleBytes)
  const controls = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)).length
  return controls > maxControls * sample.length
}

/** Anything that is not said to be plain text or Markdown is read as HTML. */
function chooseReader(contentType: string | null) {
  if (/^\s*text\/plain\b/i.test(contentType ?? '')) return extractPlainText
  return /^\s*text\/(x-)?markdown\b/i.test(contentType ?? '') ? extractMarkdown : extract
}
