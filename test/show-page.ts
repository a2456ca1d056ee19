// Prints an extracted page in a few lines, for tests of extraction.
import { extract } from '../crawler/extract/extract.ts'

/** The title, then one line per section, `##anchor heading`, or `=anchor heading` for a definition, then one per block. */
export function showPage(html: string, url = 'https://docs.example.org/a.html'): string[] {
  const { title, sections } = extract(html, url)
  return [
    title,
    ...sections.flatMap(({ kind, anchor, heading, blocks }) => [
      ...(heading || anchor ? [`${kind === 'definition' ? '=' : '##'}${anchor ?? ''} ${heading}`] : []),
      ...blocks.map((block) => (block.kind === 'code' ? `\`${block.text}\`` : block.text)),
    ]),
  ]
}
