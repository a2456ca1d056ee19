// The contract of uploaded files.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { BlobStore } from '../../services/store/blob.ts'
import { project, type StoreCases, source } from './store-case.ts'

/** Larger than a chunk of any driver, and not a multiple of one. */
const large = Buffer.alloc(2_500_001, 'Lectern keeps what was uploaded. ')

async function* inPieces(bytes: Uint8Array, size = 300_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function* brokenOff(bytes: Uint8Array) {
  yield* inPieces(bytes)
  throw new Error('the reader left')
}

const text = (value: string) => inPieces(Buffer.from(value))

async function whole({ read }: BlobStore, id: string, size: number): Promise<Buffer | null> {
  const bytes = await read(id, 0, size + 1)
  return bytes && Buffer.from(bytes)
}

const never = '9999-01-01T00:00:00.000Z'
const longAgo = '2000-01-01T00:00:00.000Z'

export const blobCases: StoreCases = {
  async 'returns a file written in pieces completely, with its size and hash'({ blobs }) {
    const sha256 = createHash('sha256').update(large).digest('hex')
    assert.deepEqual(await blobs.put('a', inPieces(large)), { size: large.length, sha256 })
    assert.ok((await whole(blobs, 'a', large.length))?.equals(large))
  },
  async 'reads a range'({ blobs }) {
    await blobs.put('a', inPieces(large))
    for (const [from, length] of [
      [0, 10],
      [1_048_570, 20],
      [1_000_000, 1_200_000],
      [large.length - 5, 10],
      [large.length, 10],
      [large.length + 5, 10],
    ] as const) {
      const expected = large.subarray(from, from + length)
      assert.ok(expected.equals((await blobs.read('a', from, length)) as Uint8Array))
    }
  },
  async 'distinguishes an empty file from a missing one'({ blobs }) {
    const { size } = await blobs.put('empty', text(''))
    assert.equal(size, 0)
    assert.equal((await blobs.read('empty', 0, 10))?.length, 0)
    assert.equal(await blobs.read('other', 0, 10), null)
  },
  async 'stores nothing of an interrupted put, and accepts the same id afterwards'({ blobs }) {
    await assert.rejects(blobs.put('a', brokenOff(large)), /the reader left/)
    assert.equal(await blobs.read('a', 0, 10), null)
    await blobs.put('a', text('whole'))
    assert.equal(String(await whole(blobs, 'a', 5)), 'whole')
  },
  async 'keeps the existing file if its id is put again'({ blobs }) {
    await blobs.put('a', text('first'))
    assert.equal((await blobs.put('a', text('another'))).size, 7)
    assert.equal(String(await whole(blobs, 'a', 7)), 'first')
  },
  async 'deletes one file and no other'({ blobs }) {
    await blobs.put('a', text('one'))
    await blobs.put('b', text('two'))
    await blobs.delete('a')
    await blobs.delete('a')
    assert.equal(await blobs.read('a', 0, 3), null)
    assert.equal(String(await whole(blobs, 'b', 3)), 'two')
  },
  async 'a sweep deletes old files without a source'({ blobs, projects, sources }) {
    await projects.insert(project())
    await sources.insert(source('s1', { type: 'file', options: { blob: 'named' } }))
    await blobs.put('named', text('one'))
    await blobs.put('nobodys', text('two'))
    await blobs.sweep(longAgo)
    assert.equal(String(await whole(blobs, 'nobodys', 3)), 'two')
    await blobs.sweep(never)
    assert.equal(await blobs.read('nobodys', 0, 3), null)
    assert.equal(String(await whole(blobs, 'named', 3)), 'one')
  },
}
