// Decodes by byte order mark, Content-Type, meta tag, UTF-8 if valid, else windows-1252.
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { decodeHtml } from './charset.ts'

const meta = (charset: string, rest: string) => `<meta charset="${charset}"><p>${rest}`

test.each([
  ['BOM before Content-Type', Buffer.from('\ufeffé'), 'text/html; charset=iso-8859-1', 'é'],
  ['UTF-16 by BOM', Buffer.from([0xff, 0xfe, 0xe9, 0x00]), null, 'é'],
  ['Content-Type', Buffer.from([0xe9]), 'text/html; charset="ISO-8859-1"', 'é'],
  [
    'Content-Type before meta',
    iconv.encode(meta('utf-8', 'Ж'), 'koi8-r'),
    'text/html;charset=koi8-r',
    meta('utf-8', 'Ж'),
  ],
  ['meta', iconv.encode(meta('Shift_JIS', '設定'), 'shift_jis'), 'text/html', meta('Shift_JIS', '設定')],
  ['an encoding of iconv-lite', iconv.encode(meta('cp437', 'é'), 'cp437'), null, meta('cp437', 'é')],
  ['unknown name', Buffer.from('é'), 'text/html; charset=nonsense', 'é'],
  ['valid UTF-8', Buffer.from('é'), null, 'é'],
  ['windows-1252', Buffer.from([0x93, 0xe9, 0x94]), null, '“é”'],
  [
    'meta after the first 1024 bytes',
    Buffer.from(`${' '.repeat(1024)}<meta charset=koi8-r>é`),
    null,
    `${' '.repeat(1024)}<meta charset=koi8-r>é`,
  ],
])('%s', (_, bytes, contentType, text) => {
  expect(decodeHtml(bytes, contentType)).toBe(text)
})

test('decodes any bytes, whatever the header says', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.option(fc.string()), (bytes, charset) => {
      expect(typeof decodeHtml(bytes, charset === null ? null : `text/html; charset=${charset}`)).toBe(
        'string',
      )
    }),
  )
})
