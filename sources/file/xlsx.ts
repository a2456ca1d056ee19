// XLSX files (Office Open XML, ECMA-376 part 1, 18). Each visible sheet becomes a section, and each cell follows its column's name.
import {
  createLimits,
  type ExtractedPage,
  fileName,
  type Section,
  textPage,
} from '../../crawler/extract/page.ts'
import { createSlugs } from '../html-page.ts'
import { BadFile } from './formats.ts'
import { type OfficeParts, openParts } from './office.ts'
import { maxColumns, toBlocks } from './tables.ts'

const maxSheets = 500
/** Maximum characters of all cells. */
const maxText = 20_000_000
/** Format codes of built-in number formats, which a file omits, as far as they matter: ECMA-376 part 1, 18.8.30. */
const builtInCodes: Record<string, string> = {
  '%': '9 10',
  d: '14 15 16 17 18 19 20 21 22 27 28 29 30 31 32 33 34 35 36 45 46 47 50 51 52 53 54 55 56 57 58',
}

type Shown = 'date' | 'percent' | 'number'

interface Workbook {
  sheets: { name: string; part: string }[]
  strings: string[]
  /** Style number → how a cell shows a number. */
  shows: Shown[]
  /** Whether days count from 1904 instead of 1900. */
  isMac: boolean
}

/** Throws BadFile. */
export async function extractXlsx(body: Uint8Array, url: string): Promise<ExtractedPage> {
  const parts = await openParts(body)
  const workbook = await readWorkbook(parts)
  const slugs = createSlugs()
  const sections: Section[] = []
  const room = { left: maxText }
  for (const { name, part } of workbook.sheets) {
    const blocks = toBlocks(await readSheet(parts, part, workbook, room))
    if (blocks.length === 0) continue
    const about = { anchor: slugs(name), heading: name, path: [], blocks }
    sections.push({ kind: 'heading', ...about, place: { sheet: name } })
  }
  return textPage(fileName(url), sections, createLimits(body.length))
}

async function readWorkbook(parts: OfficeParts): Promise<Workbook> {
  const listed: { name: string; id: string }[] = []
  let isMac = false
  const isThere = await parts.read('xl/workbook.xml', {
    open(tag, { name = '', id = '', state = 'visible', date1904 }) {
      if (tag === 'sheet' && state === 'visible') listed.push({ name, id })
      if (tag === 'workbookPr') isMac = date1904 === '1' || date1904 === 'true'
    },
  })
  if (!isThere) throw new BadFile('holds no workbook')
  if (listed.length > maxSheets) throw new BadFile(`has more than ${maxSheets} sheets`)
  const targets = new Map<string, string>()
  await parts.read('xl/_rels/workbook.xml.rels', {
    open(tag, { Id = '', Target = '', TargetMode }) {
      if (tag === 'Relationship' && TargetMode !== 'External') targets.set(Id, Target)
    },
  })
  const sheets = listed.map(({ name, id }, at) => {
    const target = targets.get(id) ?? `worksheets/sheet${at + 1}.xml`
    return { name, part: target.startsWith('/') ? target.slice(1) : `xl/${target}` }
  })
  if (new Set(sheets.map(({ part }) => part)).size < sheets.length)
    throw new BadFile('names one part for two sheets')
  return { sheets, strings: await readStrings(parts), shows: await readStyles(parts), isMac }
}

async function readStrings(parts: OfficeParts): Promise<string[]> {
  const strings: string[] = []
  let text = ''
  let phonetic = 0
  await parts.read('xl/sharedStrings.xml', {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') phonetic += 1
    },
    close(name, own) {
      if (name === 'si') strings.push(text)
      else if (name === 'rPh') phonetic -= 1
      else if (name === 't' && phonetic === 0) text += own
    },
  })
  return strings
}

async function readStyles(parts: OfficeParts): Promise<Shown[]> {
  const codes = new Map(
    Object.entries(builtInCodes).flatMap(([code, ids]) => ids.split(' ').map((id) => [id, code] as const)),
  )
  const shows: Shown[] = []
  let inCells = false
  await parts.read('xl/styles.xml', {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) shows.push(toShown(codes.get(numFmtId) ?? ''))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return shows
}

/** `dd/mm/yyyy` is a date. `0.00 "days"` and `[Red]0` are not. */
function toShown(code: string): Shown {
  const plain = code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')
  if (/[ymdhs]/i.test(plain)) return 'date'
  return plain.includes('%') ? 'percent' : 'number'
}

async function readSheet(
  parts: OfficeParts,
  part: string,
  { strings, shows, isMac }: Workbook,
  room: { left: number },
): Promise<string[][]> {
  const rows: string[][] = []
  let row: string[] = []
  let column = -1
  let value = ''

  function toText(type: string, shown: Shown): string {
    if (type === 's') return strings[Number(value)] ?? ''
    if (type === 'b') return value === '1' ? 'true' : 'false'
    if (type === 'e') return ''
    const isNumber = type === 'n' && value !== '' && Number.isFinite(Number(value))
    return isNumber ? numbers[shown](Number(value), isMac) : value
  }

  function addCell(text: string) {
    room.left -= text.length
    if (room.left < 0) throw new BadFile(`has more than ${maxText.toLocaleString('en')} characters`)
    if (text === '') return
    if (column >= maxColumns) throw new BadFile(`has more than ${maxColumns.toLocaleString('en')} columns`)
    while (row.length < column) row.push('')
    row[column] = text
  }

  await parts.read(part, {
    open(name, { r }) {
      if (name === 'row') [row, column] = [[], -1]
      else if (name === 'c') [column, value] = [r === undefined ? column + 1 : toColumn(r), '']
    },
    close(name, text, { t = 'n', s }) {
      if (name === 'v' || name === 't') value += text
      else if (name === 'c') addCell(toText(t, shows[Number(s)] ?? 'number'))
      else if (name === 'row') rows.push(row)
    },
  })
  return rows
}

const numbers: Record<Shown, (value: number, isMac: boolean) => string> = {
  date: toDate,
  percent: (value) => `${toDecimal(100 * value)}%`,
  number: toDecimal,
}

/** Rounds to fifteen digits, as spreadsheets do: further digits are artifacts of binary fractions. */
function toDecimal(value: number): string {
  return String(Number(value.toPrecision(15)))
}

/** `B7` → 1 */
function toColumn(place: string): number {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0] ?? ''
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1
}

/** Converts days since the end of 1899, or since 1904, to ISO 8601, with the time unless it is midnight. */
function toDate(days: number, isMac: boolean): string {
  const epoch = isMac ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const date = new Date(Math.round((epoch + days * 86_400_000) / 1_000) * 1_000)
  if (Number.isNaN(date.getTime())) return String(days)
  const [day, time] = date.toISOString().split('T') as [string, string]
  if (days < 1 && days >= 0) return time.slice(0, 5)
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`
}
