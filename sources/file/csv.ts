// CSV files: the delimiter is told by the first lines, the encoding by the bytes.
import { parse } from 'csv-parse/sync'
import { decodeHtml } from '../../crawler/extract/charset.ts'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { createLimits, fileName, textPage } from '../../crawler/extract/page.ts'
import { BadFile } from './bad-file.ts'
import { maxColumns, toBlocks } from './table-text.ts'

const delimiters = [',', ';', '\t', '|']
/** Characters of which the delimiter is told. */
const sample = 10_000
/** Characters of a row. */
const maxRow = 1_000_000

/** Throws BadFile. */
export function extractCsv(body: Uint8Array, url: string): ExtractedPage {
  const text = decodeHtml(body, 'text/csv').toWellFormed().replaceAll('\0', '')
  const blocks = toBlocks(readRows(text))
  const limits = createLimits(text.length)
  const section = { kind: 'heading' as const, anchor: null, heading: '', path: [], blocks }
  return textPage(fileName(url), blocks.length > 0 ? [section] : [], limits)
}

/** The first line by which spreadsheet programs are told the delimiter. */
const named = /^sep=(.)\r?\n/

function readRows(text: string): string[][] {
  try {
    return parse(text.replace(named, ''), {
      delimiter: named.exec(text)?.[1] ?? delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: maxRow,
      on_record(row: string[]) {
        if (row.length > maxColumns)
          throw new BadFile(`has more than ${maxColumns.toLocaleString('en')} columns`)
        return row
      },
    }) as string[][]
  } catch (error) {
    if (error instanceof BadFile) throw error
    throw new BadFile(
      'is no CSV that can be read: a quotation mark that is never closed, or a row without end',
    )
  }
}

/** The one that most lines of the beginning have equally often, outside quotes. A title may stand above them. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, sample)
    .replace(/"[^"]*"/g, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  const countsOf = (delimiter: string) => lines.map((line) => line.split(delimiter).length - 1)
  const worth = (delimiter: string) => {
    const lineCounts = new Map<number, number>()
    for (const count of countsOf(delimiter)) lineCounts.set(count, (lineCounts.get(count) ?? 0) + 1)
    lineCounts.delete(0)
    return Math.max(0, ...[...lineCounts].map(([count, alike]) => alike * (1 + Math.log(count))))
  }
  return delimiters.reduce((best, each) => (worth(each) > worth(best) ? each : best))
}
