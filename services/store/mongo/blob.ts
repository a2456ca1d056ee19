// Uploaded files in GridFS: the chunks are written first, then the row of the file.
import { pipeline } from 'node:stream/promises'
import { type Binary, type Db, GridFSBucket, ObjectId } from 'mongodb'
import { type BlobStore, countPieces } from '../blob.ts'
import type { Source } from '../source.ts'
import type { MongoDb } from './connection.ts'
import type { Stored } from './row.ts'

const chunkSizeBytes = 1024 * 1024
const bucketName = 'blobs'

interface FileRow {
  _id: string
  length: number
  chunkSize: number
  uploadDate: Date
}

interface ChunkRow {
  /** Contains the time of the write. */
  _id: ObjectId
  files_id: string
  n: number
  data: Binary
}

export function createBlobs(db: Db & MongoDb): BlobStore {
  const bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes })
  const sources = db.collection<Stored<Source>>('sources')
  const files = db.collection<FileRow>(`${bucketName}.files`)
  const chunks = (db as Db).collection<ChunkRow>(`${bucketName}.chunks`)
  const exists = async (id: string) => (await files.findOne({ _id: id }, { projection: { _id: 1 } })) !== null

  /** Deletes the row first: without it, the chunks are not read. */
  async function erase(id: string): Promise<void> {
    await files.deleteOne({ _id: id })
    await chunks.deleteMany({ files_id: id })
  }

  return {
    async put(id, given) {
      const { pieces, blob } = countPieces(given)
      if (await exists(id)) {
        for await (const _ of pieces);
        return blob()
      }
      // Left by an interrupted put.
      await chunks.deleteMany({ files_id: id })
      try {
        await pipeline(pieces, bucket.openUploadStreamWithId(id as unknown as ObjectId, id))
      } catch (error) {
        await erase(id)
        throw error
      }
      return blob()
    },

    async read(id, from, length) {
      const file = await files.findOne({ _id: id })
      if (file === null) return null
      const end = Math.min(file.length, from + length)
      if (from >= end) return new Uint8Array()
      const { chunkSize } = file
      const [first, last] = [Math.floor(from / chunkSize), Math.floor((end - 1) / chunkSize)]
      const rows = await chunks
        .find({ files_id: id, n: { $gte: first, $lte: last } })
        .sort({ n: 1 })
        .toArray()
      // The blob was deleted between the two reads.
      if (rows.length !== last - first + 1) return null
      const bytes = Buffer.concat(rows.map(({ data }) => data.buffer.subarray(0, data.position)))
      return bytes.subarray(from - first * chunkSize, end - first * chunkSize)
    },

    delete: erase,

    async sweep(before) {
      const used = new Set<string>()
      for await (const { options } of sources.find({ 'options.blob': { $exists: true } }))
        used.add(options.blob!)
      const time = new Date(before)
      for await (const { _id } of files.find({ uploadDate: { $lt: time } }, { projection: { _id: 1 } }))
        if (!used.has(_id)) await erase(_id)
      // Uses GridFS's index, and reads only one chunk of each orphan.
      const until = ObjectId.createFromTime(Math.floor(time.getTime() / 1000))
      for (const id of await chunks.distinct('files_id')) {
        if (await exists(id)) continue
        const old = await chunks.findOne({ files_id: id, _id: { $lt: until } }, { projection: { _id: 1 } })
        if (old !== null) await erase(id)
      }
    },
  }
}
