// Jupyter notebooks (nbformat 4): cells of Markdown and of code; what the code wrote is left out.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractHtmlDocument } from '../html-page.ts'
import { toHtml } from './markdown.ts'

interface Cell {
  cell_type?: unknown
  source?: unknown
}

/** A file that is not a notebook has no text. Throws RangeError as extractMarkdownFile does. */
export function extractNotebook(text: string, url: string): ExtractedPage {
  const { cells, title } = readNotebook(text)
  let markdown = ''
  for (const { cell_type: type, source } of cells) {
    const content = [source]
      .flat()
      .filter((line) => typeof line === 'string')
      .join('')
    if (type === 'markdown') markdown += `${content}\n\n`
    else if (type === 'code' && content.trim() !== '') {
      markdown += `<pre><code>${escapeHtml(content).replaceAll('\n', '&#10;')}</code></pre>\n\n`
    }
  }
  return extractHtmlDocument({ title, body: toHtml(markdown) }, url)
}

function readNotebook(text: string): { cells: Cell[]; title: string | null } {
  try {
    const { cells, metadata } = JSON.parse(text) as { cells?: unknown; metadata?: { title?: unknown } }
    const title = metadata?.title
    return {
      cells: Array.isArray(cells) ? cells.filter((cell) => typeof cell === 'object' && cell !== null) : [],
      title: typeof title === 'string' && title.trim() !== '' ? title.trim() : null,
    }
  } catch {
    return { cells: [], title: null }
  }
}
