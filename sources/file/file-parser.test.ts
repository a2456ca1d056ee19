// The files in test/fixtures/files/ were written by python-docx 1.2.0, openpyxl and reportlab. artikel.csv is in Latin-1.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { makePdf } from '../../test/make-pdf.ts'
import { makeZip } from '../../test/make-zip.ts'
import { extractFile, fileParser } from './file-parser.ts'

const fixture = (name: string) => readFileSync(new URL(`../../test/fixtures/files/${name}`, import.meta.url))
const read = (name: string) => extractFile(fixture(name), name)
const shown = ({ sections }: ExtractedPage) =>
  sections.map(({ path, heading, anchor, place, blocks }) => ({
    heading: [...path, heading].join(' > '),
    anchor,
    ...place,
    text: blocks.map(({ kind, text }) => `${kind}: ${text}`).join('\n'),
  }))

test('reads a PDF: headings by size, the page of each section, code, and no running titles', async () => {
  const page = await read('manual.pdf')
  expect(page.title).toBe('Pump manual')
  expect(page.language).toBe('en')
  expect(shown(page)).toEqual([
    {
      heading: 'Pump manual',
      anchor: 'page-1',
      page: 1,
      text: 'paragraph: This manual tells how the pump is kept.',
    },
    {
      heading: 'Installation',
      anchor: 'page-1-2',
      page: 1,
      text: expect.stringMatching(/^paragraph: Place the pump on level ground\. Place the pump/),
    },
    { heading: 'Starting', anchor: 'page-2', page: 2, text: '' },
    {
      heading: 'Starting > Before the first start',
      anchor: 'page-2-2',
      page: 2,
      text: 'paragraph: Fill the pump with water.\ncode: pumpctl start --slow\npumpctl status',
    },
    {
      heading: 'Starting > Before the first start',
      anchor: 'page-3',
      page: 3,
      text: 'paragraph: It runs dry otherwise.',
    },
    { heading: 'Maintenance', anchor: 'page-3-2', page: 3, text: 'paragraph: Change the oil each year.' },
    { heading: 'Disposal', anchor: 'page-4', page: 4, text: 'paragraph: Bring it back.' },
  ])
})

test('ignores a line at the edge with the page number, whatever else it says', async () => {
  const lines = [
    ['Pumps 11', 'Open valve 3'],
    ['12 The pump manual', 'Close valve 3'],
    ['Valves 13', 'Turn valve 4'],
    ['14 The pump manual', 'Oil it 99'],
  ]
  const text = ([head, body]: string[]) =>
    Buffer.from(
      `BT /F1 12 Tf 50 750 Td (${head}) Tj 0 -300 Td (${body}) Tj 0 -300 Td (The end of ${body}) Tj ET`,
    )
  const page = (contents: number) =>
    `/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${contents} 0 R /Resources << /Font << /F1 3 0 R >> >>`
  const file = makePdf([
    '/Type /Catalog /Pages 2 0 R',
    '/Type /Pages /Kids [4 0 R 5 0 R 6 0 R 7 0 R] /Count 4',
    '/Type /Font /Subtype /Type1 /BaseFont /Helvetica',
    ...lines.map((_, at) => page(8 + at)),
    ...lines.map(text),
  ])
  expect(shown(await extractFile(file, 'a.pdf')).map(({ text }) => text.split('\n')[0])).toEqual(
    lines.map(([, body]) => `paragraph: ${body}`),
  )
})

test('reads a DOCX: title, headings with anchors, lists and tables', async () => {
  const page = await read('handbook.docx')
  expect(page.title).toBe('Pump handbook')
  expect(shown(page)).toEqual([
    { heading: 'Pump handbook', anchor: null, text: 'paragraph: How the pump is installed and kept.' },
    {
      heading: 'Installation',
      anchor: 'installation',
      text: 'paragraph: Place the pump on level ground.\nlist: - Open the valve\n- Close the drain',
    },
    {
      heading: 'Installation > Electrical connection',
      anchor: 'electrical-connection',
      text: 'paragraph: Use a fuse of 16 A.\ntable: Part | Torque\nFlange | 40 Nm',
    },
    {
      heading: 'Maintenance',
      anchor: 'maintenance',
      text: 'paragraph: Change the oil each year. Größe 5 < 6 & more.',
    },
  ])
})

test('reads an XLSX: each visible sheet, each row with the names of its columns, and dates', async () => {
  expect(shown(await read('prices.xlsx'))).toEqual([
    {
      heading: 'Prices',
      anchor: 'prices',
      sheet: 'Prices',
      text:
        'paragraph: Price list 2026\n' +
        'table: Name: Bolt M8 | Price: 0.3 | Valid from: 2026-03-01 | In stock: true\n' +
        'Name: Nut M8 | Price: 0.1 | Valid from: 2026-03-02 14:30 | In stock: false',
    },
    {
      heading: 'Spare parts',
      anchor: 'spare-parts',
      sheet: 'Spare parts',
      text: 'table: Part: Seal | Number: 4711',
    },
  ])
})

test('reads a CSV: detects delimiter and encoding, and respects quotes', async () => {
  const page = await read('artikel.csv')
  expect(page.title).toBe('artikel.csv')
  expect(shown(page)[0]!.text).toBe(
    'table: Artikel: Schraube | Preis: 0,30 | Bemerkung: groß; verzinkt\nArtikel: Mutter | Preis: 0,10',
  )
})

test.each([
  ['comma', 'a,b\n1,2'],
  ['tab', 'a\tb\n1\t2'],
  ['bar', 'a|b\n1|2'],
  ['semicolon', 'a;b\n"1";2'],
  ['UTF-16', Buffer.from('\uFEFFa;b\r\n1;2', 'utf16le')],
])('reads a CSV with %s', async (_, text) => {
  expect(shown(await extractFile(Buffer.from(text), 'x.csv'))[0]!.text).toBe('table: a: 1 | b: 2')
})

test.each([
  ['under a title', 'Umsatz 2026\n\nMonat;Betrag\nMai;1,50\nJuni;2,50', 'paragraph: Umsatz 2026\n'],
  ['declared as by a spreadsheet program', 'sep=;\nMonat;Betrag\nMai;1,50\nJuni;2,50', ''],
])('reads a CSV with its delimiter %s', async (_, text, above) => {
  expect(shown(await extractFile(Buffer.from(text), 'x.csv'))[0]!.text).toBe(
    `${above}table: Monat: Mai | Betrag: 1,50\nMonat: Juni | Betrag: 2,50`,
  )
})

test('reads numbers of an XLSX as displayed: in percent, and without binary rounding errors', async () => {
  const styles = '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.0%"/></numFmts>'
  const zip = makeZip([
    { name: 'xl/workbook.xml', body: '<workbook><sheets><sheet name="A" id="r1"/></sheets></workbook>' },
    {
      name: 'xl/styles.xml',
      body: `${styles}<cellXfs><xf/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      body: `<worksheet><sheetData><row>${[
        '<c s="1"><v>0.07</v></c>',
        '<c s="2"><v>0.285</v></c>',
        '<c><v>0.30000000000000004</v></c>',
        '<c><v>4006381333931</v></c>',
      ].join('')}</row></sheetData></worksheet>`,
    },
  ])
  expect(shown(await extractFile(zip, 'a.xlsx'))[0]!.text).toBe('table: 7% | 28.5% | 0.3 | 4006381333931')
})

test('reads Markdown and text', async () => {
  const page = await extractFile(Buffer.from('# Title\n\n## Part one\n\nText.'), 'NOTES.MD')
  expect(shown(page).at(-1)).toEqual({ heading: 'Part one', anchor: 'part-one', text: 'paragraph: Text.' })
  expect(shown(await extractFile(Buffer.from('Plain.\n\nMore.'), 'a b.txt'))[0]!.text).toBe(
    'paragraph: Plain.\nparagraph: More.',
  )
})

describe('an unreadable file', () => {
  const check = fileParser.tasks!.check as unknown as (body: Uint8Array, name: string) => Promise<void>

  test('has no error if it can be read', async () => {
    for (const name of ['manual.pdf', 'handbook.docx', 'prices.xlsx', 'artikel.csv'])
      await check(fixture(name), name)
  })

  test.each([
    ['a.exe', Buffer.from('MZ'), /is of a kind that is not read: pdf, md/],
    ['a.pdf', Buffer.from('no PDF'), /is no PDF/],
    ['a.pdf', fixture('manual.pdf').subarray(0, 40), /is no PDF|has no text/],
    ['a.docx', Buffer.from('<html>'), /is no ZIP archive/],
    ['a.docx', fixture('prices.xlsx'), /holds no text document/],
    ['a.xlsx', fixture('handbook.docx'), /holds no workbook/],
    ['a.txt', fixture('handbook.docx'), /is no text/],
    ['a.csv', Buffer.from(''), /has no text/],
    ['a.md', Buffer.from('\n \n'), /has no text/],
  ])('%s', async (name, body, message) => {
    await expect(check(body, name)).rejects.toThrow(message)
  })

  test('is a page without sections in a crawl', async () => {
    const page = await fileParser.parse({
      url: 'https://lectern.example/files/p/1/a.pdf',
      body: Buffer.from('no PDF'),
      contentType: null,
    })
    expect(page).toMatchObject({ title: 'a.pdf', sections: [] })
  })
})
