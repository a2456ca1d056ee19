// Everything that reads what a site or a reader wrote by patterns: fed with hostile megabytes in linear.test.ts.
import { decodeHtml } from '../../crawler/extract/charset.ts'
import { extract } from '../../crawler/extract/extract.ts'
import { extractMarkdown, extractPlainText } from '../../crawler/extract/plain-text.ts'
import { analyzeJoined } from '../../services/index/analyze.ts'
import { toPassages } from '../../services/index/passages.ts'

export type Reader = (text: string) => unknown

const url = 'https://docs.example.org/a/b.html'

export const readers: Record<string, Reader> = {
  'HTML as it comes': (text) => extract(text, url),
  Markdown: (text) => extractMarkdown(text, url),
  'plain text': (text) => extractPlainText(text, url),
  'a charset in a header': (text) => decodeHtml(new Uint8Array(), text),
  'a charset in a page': (text) => decodeHtml(Buffer.from(text), null),
  'the terms of a text': analyzeJoined,
  // A search for one character is so quick that it takes a whole page of it to tell.
  'the passages of a text': (text) => toPassages([{ kind: 'paragraph', text: text.repeat(16) }]),
}
