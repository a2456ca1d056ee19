import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { makeZip } from '../../test/make-zip.ts'
import { BadFile } from './formats.ts'
import { openZip, unpackEntry } from './zip.ts'

const limits = { maxEntries: 100, maxEntry: 1_000_000, maxTotal: 2_000_000 }

async function readEntries(bytes: Uint8Array): Promise<Record<string, string>> {
  const entries = [...(await openZip(bytes, limits)).values()]
  const contents = entries.map((entry) => unpackEntry(bytes.subarray(entry.start), entry))
  return Object.fromEntries(entries.map(({ name }, at) => [name, Buffer.from(contents[at]!).toString()]))
}

test('reads stored and deflated files by name', async () => {
  const archive = makeZip([
    { name: 'folder/', body: '' },
    { name: 'folder/a.txt', body: 'words '.repeat(100) },
    { name: 'b.txt', body: 'stored', method: 0 },
  ])
  expect(await readEntries(archive)).toEqual({ 'folder/a.txt': 'words '.repeat(100), 'b.txt': 'stored' })
})

test('lists the files from the end of an archive, and rejects a partial directory', async () => {
  const bytes = makeZip([
    { name: 'large', body: 'x'.repeat(500_000), method: 0 },
    { name: 'small', body: 'here' },
  ])
  const zip = await openZip(bytes.subarray(-70_000), limits, bytes.length)
  expect([...zip.keys()]).toEqual(['large', 'small'])
  await expect(openZip(bytes.subarray(-50), limits, bytes.length)).rejects.toThrow(
    'directory that is too large',
  )
})

test('reads names of all archivers: with a leading dot, and in unmarked UTF-8; and skips unusable names', async () => {
  const archive = makeZip([
    { name: './index.html', body: 'x' },
    { name: 'Über.html', body: 'y', isUtf8Said: false },
    { name: 'a//b', body: 'x' },
    { name: 'Icon\r', body: 'x' },
  ])
  expect(await readEntries(archive)).toEqual({ 'index.html': 'x', 'Über.html': 'y' })
})

describe('rejects', () => {
  const bomb = deflateRawSync(Buffer.alloc(50_000_000))
  test.each<[string, Parameters<typeof makeZip>[0], RegExp]>([
    ['a name that leads out', [{ name: '../../etc/passwd', body: 'x' }], /invalid relative path/],
    ['an absolute path', [{ name: '/etc/passwd', body: 'x' }], /absolute path/],
    ['a drive', [{ name: 'C:\\x', body: 'x' }], /absolute path/],
    ['a link', [{ name: 'a', body: '/etc/passwd', attributes: (0o120777 << 16) >>> 0 }], /holds a link/],
    ['an encrypted file', [{ name: 'a', body: 'x', flags: 1 }], /is encrypted/],
    ['an unknown compression method', [{ name: 'a', body: 'x', method: 12 }], /not known here/],
    [
      'two files of one name',
      [
        { name: 'a', body: 'x' },
        { name: 'a', body: 'y' },
      ],
      /two files named a/,
    ],
    ['a file that is too large', [{ name: 'a', body: 'x'.repeat(1_000_001) }], /above 1 MB/],
    [
      'too much in all',
      [1, 2, 3].map((n) => ({ name: `${n}`, body: 'x'.repeat(900_000) })),
      /more than 2 MB/,
    ],
    [
      'too many',
      Array.from({ length: 101 }, (_, n) => ({ name: `${n}`, body: '' })),
      /more than 100 entries/,
    ],
  ])('%s', async (_, entries, message) => {
    await expect(openZip(makeZip(entries), limits)).rejects.toThrow(message)
    await expect(openZip(makeZip(entries), limits)).rejects.toThrow(BadFile)
  })

  test.each<[string, Parameters<typeof makeZip>[0][number], RegExp]>([
    ['more than declared', { name: 'a', packed: bomb, size: 10, crc: 0, body: '' }, /does not match/],
    [
      'less than declared',
      { name: 'a', packed: deflateRawSync('x'), size: 9_999, crc: crc32('x'), body: '' },
      /does not match/,
    ],
    ['a wrong checksum', { name: 'a', body: 'x', crc: 1 }, /does not match/],
    ['another name in the local header', { name: 'a.txt', localName: 'b.txt', body: 'x' }, /otherwise/],
    [
      'invalid compressed bytes',
      { name: 'a', packed: Buffer.from('none'), size: 9, body: '' },
      /does not match/,
    ],
    ['no entry at its offset', { name: 'a', body: 'x', at: 9 }, /is damaged at a/],
  ])('on reading: %s', async (_, entry, message) => {
    const reading = readEntries(makeZip([entry]))
    await expect(reading).rejects.toThrow(message)
    await expect(reading).rejects.toThrow(BadFile)
  })

  test('entries that share bytes', async () => {
    const one = { name: 'a', body: 'x'.repeat(1_000) }
    await expect(openZip(makeZip([one, { ...one, name: 'b', at: 0 }]), limits)).rejects.toThrow(/same bytes/)
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><p>no archive</p>')],
    ['half an archive', makeZip([{ name: 'a', body: 'x'.repeat(100) }]).subarray(0, 60)],
    ['a wrong directory size', lying()],
  ])('%s', async (_, bytes) => {
    await expect(openZip(bytes, limits)).rejects.toThrow(BadFile)
  })
})

/** Zip64 declares more entries, and more bytes, than a file could hold. */
function lying(): Buffer {
  const zip = makeZip([{ name: 'a', body: 'x' }])
  const end = zip.length - 22
  const tail = Buffer.from(zip.subarray(end))
  tail.writeUInt16LE(0xffff, 8)
  tail.writeUInt16LE(0xffff, 10)
  tail.writeUInt32LE(0xffffffff, 16)
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(1_000_000_000_000n, 32)
  record.writeBigUInt64LE(BigInt(2 ** 52), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(end), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([zip.subarray(0, end), record, locator, tail])
}
