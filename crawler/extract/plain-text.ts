// Extraction of text/plain.
import { createOutline } from './outline.ts'
import { createLimits, type ExtractedPage, fileName, textPage } from './page.ts'

/** One section with paragraphs separated by empty lines. The title is the file's name. Never throws. */
export function extractPlainText(text: string, url: string): ExtractedPage {
  const limits = createLimits(text.length)
  const outline = createOutline(limits, () => false)
  const normal = text.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n')
  for (const paragraph of normal.split(/\n\s*\n/)) {
    outline.text(paragraph)
    outline.endText()
  }
  return textPage(fileName(url), outline.finish(), limits)
}
