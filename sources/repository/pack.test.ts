// Packs made by Git, and malicious ones.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openGitServer } from '../../test/git/git-server.ts'
import { askCommit, listTree, readCapabilities, readPackfile, readRefs } from './git-protocol.ts'
import { BadPack, type GitObject, readPack, toObjectName } from './pack.ts'

const limits = { maxObject: 1_000_000, maxBytes: 4_000_000, maxObjects: 10_000 }

const nameOfText = (text: string) => toObjectName({ type: 'blob', body: Buffer.from(text) })

/** The size in the header of an object: four bits, then seven per byte. */
function head(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

function pack(count: number, ...objects: Buffer[]): Buffer {
  const start = Buffer.alloc(12)
  start.write('PACK')
  start.writeUInt32BE(2, 4)
  start.writeUInt32BE(count, 8)
  const body = Buffer.concat([start, ...objects])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

const blob = (text: string, size = text.length) => Buffer.concat([head(3, size), deflateSync(text)])
const delta = (base: string, ...bytes: number[]) => longDelta(base, Buffer.from(bytes))
const longDelta = (base: string, bytes: Buffer) =>
  Buffer.concat([head(7, bytes.length), Buffer.from(nameOfText(base), 'hex'), deflateSync(bytes)])

test('reads every object of a pack made by Git with its name, including deltas', async () => {
  const git = await openGitServer()
  const long = Array.from({ length: 400 }, (_, at) => `Line ${at} of a long file.\n`).join('')
  await git.commit({ 'a/long.md': long, 'a/other.md': `${long}And more.\n`, 'b.md': 'Short.' })
  // As in packs for a client that does not request `ofs-delta`.
  await git.git('-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adq', '--depth=50')
  const commit = (await git.git('rev-parse', 'HEAD')).trim()
  const folder = (await git.git('rev-parse', '--absolute-git-dir')).trim()
  const file = (await readdir(`${folder}/objects/pack`)).find((name) => name.endsWith('.pack'))!
  const objects = readPack(await readFile(`${folder}/objects/pack/${file}`), limits)
  const { files } = listTree(objects, commit, 10, () => true)
  expect(files.map(({ path }) => path)).toEqual(['a/long.md', 'a/other.md', 'b.md'])
  expect(objects.get(files[1]!.name)!.body.toString()).toBe(`${long}And more.\n`)
  await git.close()
})

test('resolves deltas before their base', () => {
  // Five bytes become six: the first five, and one more.
  const objects = readPack(pack(2, delta('hello', 5, 6, 0x90, 5, 1, 33), blob('hello')), limits)
  expect(objects.get(nameOfText('hello!'))!.body.toString()).toBe('hello!')
})

test('frees the space of an applied delta', () => {
  const insertion = (letter: string) => Buffer.concat([Buffer.from([5, 100, 100]), Buffer.alloc(100, letter)])
  const deltas = [...'abcdefgh'].map((letter) => longDelta('hello', insertion(letter)))
  // Deltas of 103 bytes wait for the base of 5 bytes. Each then becomes an object of 100 bytes.
  const maxBytes = 8 * 103 + 5 + 100
  expect(readPack(pack(9, ...deltas, blob('hello')), { ...limits, maxBytes }).size).toBe(9)
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['no pack', Buffer.from('x'.repeat(40))],
  ['fewer objects than declared', pack(5, blob('a'))],
  ['too many objects', pack(10_001)],
  ['an object longer than declared', pack(1, blob('hello', 2))],
  ['an object shorter than declared', pack(1, blob('hello', 9))],
  ['a bomb', pack(1, blob('a'.repeat(900_000), 10))],
  ['an object declared as too long', pack(1, blob('hello', 2_000_000))],
  [
    'objects that are too long together',
    pack(5, ...Array.from({ length: 5 }, (_, at) => blob(`${at}`.repeat(900_000)))),
  ],
  [
    'too many bytes in deltas that wait for their base',
    pack(5, ...Array.from({ length: 5 }, () => longDelta('hello', Buffer.alloc(900_000, 1)))),
  ],
  ['a delta that copies from beyond its base', pack(2, blob('hello'), delta('hello', 5, 6, 0x90, 9))],
  ['a delta that grows beyond its declared size', pack(2, blob('hello'), delta('hello', 5, 2, 0x90, 5))],
  [
    'a delta that says it becomes too long',
    pack(2, blob('hello'), delta('hello', 5, 255, 255, 255, 127, 0x90, 5)),
  ],
  ['a delta of another base', pack(2, blob('hello'), delta('hello', 4, 4, 0x90, 4))],
  ['an unknown delta instruction', pack(2, blob('hello'), delta('hello', 5, 5, 0))],
])('rejects %s', (_, bytes) => {
  expect(() => readPack(bytes, limits)).toThrow(BadPack)
})

test('reads or rejects a pack with any change', () => {
  const good = pack(3, blob('hello'), delta('hello', 5, 6, 0x90, 5, 1, 33), blob('another'))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1 }), (changes) => {
      const bytes = Buffer.from(good)
      for (const [at, byte] of changes) bytes[at] = byte
      for (const read of [
        () => readPack(bytes, limits),
        () => readPackfile(bytes),
        () => readRefs(bytes, null),
      ]) {
        try {
          read()
        } catch (error) {
          expect(error).toBeInstanceOf(BadPack)
        }
      }
    }),
  )
})

test('ignores tree entries that lead out, and rejects recursive or missing trees', () => {
  const tree = (...entries: [mode: string, name: string, hash: string][]): GitObject => ({
    type: 'tree',
    body: Buffer.concat(
      entries.map(([mode, name, hash]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]),
      ),
    ),
  })
  const hash = (digit: string) => digit.repeat(40)
  const commit: GitObject = { type: 'commit', body: Buffer.from(`tree ${hash('a')}\nauthor x\n`) }
  const list = (...entries: [string, string, string][]) =>
    listTree(
      new Map([
        [hash('c'), commit],
        [hash('a'), tree(...entries)],
      ]),
      hash('c'),
      10,
      () => true,
    )
  const out = list(
    ['100644', '..', hash('b')],
    ['100644', '.git', hash('b')],
    ['100644', 'a/../b', hash('b')],
    ['100644', 'good', hash('b')],
  )
  expect(out.files.map(({ path }) => path)).toEqual(['good'])
  expect(() => list(['40000', 'round', hash('a')])).toThrow(BadPack)
  expect(() => list(['40000', 'gone', hash('d')])).toThrow(BadPack)
  expect(() => listTree(new Map(), hash('c'), 10, () => true)).toThrow(BadPack)
})

test('writes the length of each line of a request', () => {
  expect(Buffer.from(askCommit('a'.repeat(40), true)).toString()).toBe(
    `0012command=fetch\n0012agent=lectern\n0017object-format=sha1\n0001${'0010no-progress\n000ddeepen 1\n0015filter blob:none\n'}0032want ${'a'.repeat(40)}\n0009done\n0000`,
  )
})

test.each([
  ['000eversion 2\n0019fetch=shallow filter\n0000', { hasFilter: true, isSha1: true }],
  [
    '001e# service=git-upload-pack\n0000000eversion 2\n000afetch\n0019object-format=sha256\n0000',
    { hasFilter: false, isSha1: false },
  ],
  ['000eversion 1\n0000', null],
])('reads the capabilities of a server: %j', (text, capabilities) => {
  expect(readCapabilities(Buffer.from(text))).toEqual(capabilities)
})
