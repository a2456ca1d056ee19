// Malicious files get an error sentence, or their text up to a limit, and never more time or memory than the limits.
import { expect, test } from 'vitest'
import { makePdf } from '../../test/make-pdf.ts'
import { type MadeEntry, makeZip } from '../../test/make-zip.ts'
import { extractFile } from './file-parser.ts'
import { BadFile } from './formats.ts'

const docx = (document: string | Buffer, others: MadeEntry[] = []) =>
  makeZip([{ name: 'word/document.xml', body: document }, ...others])
const xlsx = (sheet: string, strings = '') =>
  makeZip([
    { name: 'xl/workbook.xml', body: '<workbook><sheets><sheet name="A" id="r1"/></sheets></workbook>' },
    { name: 'xl/sharedStrings.xml', body: `<sst>${strings}</sst>` },
    { name: 'xl/worksheets/sheet1.xml', body: `<worksheet><sheetData>${sheet}</sheetData></worksheet>` },
  ])
const paragraph = (text: string) => `<p><r><t>${text}</t></r></p>`
const bomb = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'

test.each<[string, string, () => Buffer, RegExp]>([
  [
    'entities',
    'a.docx',
    () => docx(`${bomb}<document><body>${paragraph('&b;')}</body></document>`),
    /document type/,
  ],
  [
    'an external entity',
    'a.docx',
    () => docx('<!DOCTYPE d SYSTEM "file:///etc/passwd"><d>&x;</d>'),
    /document type/,
  ],
  ['an unknown entity', 'a.docx', () => docx(`<d>${paragraph('&x;')}</d>`), /is no XML/],
  ['deep nesting', 'a.docx', () => docx('<tbl><tr><tc>'.repeat(10_000)), /nests too deep/],
  ['a part of 100 MB', 'a.docx', () => docx(Buffer.alloc(100 * 1024 * 1024, ' ')), /above 64 MB/],
  ['a macro of another kind', 'a.docx', () => makeZip([{ name: 'mimetype', body: 'x' }]), /no text document/],
  [
    'a million columns',
    'a.csv',
    () => Buffer.from(`${'a,'.repeat(1_000_000)}a\n`),
    /more than 1,000 columns/,
  ],
  ['an unclosed quotation', 'a.csv', () => Buffer.from(`a,b\n"${'x,\n'.repeat(700_000)}`), /is no CSV/],
  ['a far column', 'a.xlsx', () => xlsx('<row><c r="XFD1"><v>1</v></c></row>'), /more than 1,000 columns/],
  [
    'a long text used a thousand times',
    'a.xlsx',
    () =>
      xlsx(
        `<row>${'<c r="A1" t="s"><v>0</v></c>'.repeat(1_000)}</row>`,
        `<si><t>${'x'.repeat(1_000_000)}</t></si>`,
      ),
    /more than 20,000,000 characters/,
  ],
  ['nested quotations', 'a.md', () => Buffer.from('>'.repeat(20_000)), /nests too deep/],
  [
    'an encrypted PDF',
    'a.pdf',
    () =>
      makePdf(
        ['/Type /Catalog /Pages 2 0 R', noPages],
        '/Encrypt << /Filter /Standard /V 1 /R 2 /O (oooooooooooooooooooooooooooooooo) /U (uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu) /P -1 >> /ID [(a) (a)]',
      ),
    /encrypted|no PDF/,
  ],
  [
    'pages that loop',
    'a.pdf',
    () => makePdf(['/Type /Catalog /Pages 2 0 R', '/Type /Pages /Kids [2 0 R] /Count 9']),
    /no text|no PDF/,
  ],
  [
    'a wrong page count',
    'a.pdf',
    () => makePdf(['/Type /Catalog /Pages 2 0 R', '/Type /Pages /Kids [] /Count 999999999']),
    /no text|no PDF/,
  ],
  [
    'references that loop',
    'a.pdf',
    () =>
      makePdf([
        '/Type /Catalog /Pages 2 0 R',
        '/Type /Pages /Kids [3 0 R] /Count 1',
        '/Type /Page /Parent 2 0 R /Contents 3 0 R /Resources 3 0 R',
      ]),
    /no text|no PDF/,
  ],
  ['only a header', 'a.pdf', () => Buffer.from('%PDF-1.7\n'), /no PDF/],
])('%s (%s)', async (_, name, make, message) => {
  const reading = extractFile(make(), name)
  await expect(reading).rejects.toThrow(BadFile)
  await expect(reading).rejects.toThrow(message)
})

test('does not load external references of a document', async () => {
  const others = [
    {
      name: 'word/_rels/document.xml.rels',
      body: '<Relationships><Relationship Id="r1" TargetMode="External" Target="http://127.0.0.1:9/secret"/></Relationships>',
    },
  ]
  const { sections } = await extractFile(
    docx(`<d>${paragraph('seen')}<altChunk id="r1"/></d>`, others),
    'a.docx',
  )
  expect(sections.flatMap(({ blocks }) => blocks.map(({ text }) => text))).toEqual(['seen'])
})

test('ignores deleted text and fields', async () => {
  const body = `<d><p><r><t>kept</t></r><del><r><delText>gone</delText><t>gone</t></r></del><r><instrText>HYPERLINK</instrText></r></p></d>`
  const { sections } = await extractFile(docx(body), 'a.docx')
  expect(sections[0]!.blocks[0]!.text).toBe('kept')
})

test('keeps the text of a text box, and separately of the paragraph around it', async () => {
  const box = '<txbxContent><p><r><t>Box</t></r></p></txbxContent>'
  const body = `<d><p><r><t>Before</t></r><r>${box}</r><r><t> and after</t></r></p></d>`
  const { sections } = await extractFile(docx(body), 'a.docx')
  expect(sections[0]!.blocks.map(({ text }) => text)).toEqual(['Box', 'Before and after'])
})

test('rejects two sheets that are the same part, and reads a far column without values', async () => {
  const sheet =
    '<worksheet><sheetData><row><c r="A1"><v>7</v></c><c r="XFD1" s="3"/></row></sheetData></worksheet>'
  const workbook = (ids: string[]) =>
    makeZip([
      {
        name: 'xl/workbook.xml',
        body: `<workbook><sheets>${ids.map((id) => `<sheet name="${id}" id="r1"/>`)}</sheets></workbook>`,
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        body: '<r><Relationship Id="r1" Target="worksheets/sheet1.xml"/></r>',
      },
      { name: 'xl/worksheets/sheet1.xml', body: sheet },
    ])
  await expect(extractFile(workbook(['a', 'b']), 'a.xlsx')).rejects.toThrow('names one part for two sheets')
  const { sections } = await extractFile(workbook(['a']), 'a.xlsx')
  expect(sections[0]!.blocks.map(({ text }) => text)).toEqual(['7'])
})

test('drops only the page of a PDF that decompresses to 100 MB', async () => {
  const text = (say: string) => Buffer.from(`BT /F1 12 Tf 50 700 Td (${say}) Tj ET`)
  const page = (contents: number) =>
    `/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${contents} 0 R /Resources << /Font << /F1 7 0 R >> >>`
  const file = makePdf([
    '/Type /Catalog /Pages 2 0 R',
    '/Type /Pages /Kids [3 0 R 4 0 R] /Count 2',
    page(5),
    page(6),
    Buffer.concat([text('before'), Buffer.alloc(100_000_000, ' ')]),
    text('after'),
    '/Type /Font /Subtype /Type1 /BaseFont /Helvetica',
  ])
  expect(file.length).toBeLessThan(2_000_000)
  const { sections } = await extractFile(file, 'a.pdf')
  expect(sections.flatMap(({ blocks }) => blocks.map((block) => block.text)).join()).toContain('after')
})

const noPages = '/Type /Pages /Kids [] /Count 0'

/** Objects, numbered from 1. Bytes are a compressed stream. */
