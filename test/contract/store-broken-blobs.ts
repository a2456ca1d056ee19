// Stores that break a promise about uploaded files.
import { type BrokenStore, instead } from './store-broken.ts'

export const brokenBlobStores: BrokenStore[] = [
  {
    promise: 'a hash is that of all pieces',
    noun: 'blobs',
    breaks: instead('blobs', ({ blobs }) => ({
      put: async (id, pieces) => ({ ...(await blobs.put(id, pieces)), sha256: '' }),
    })),
  },
  {
    promise: 'reading begins where it is asked to',
    noun: 'blobs',
    breaks: instead('blobs', ({ blobs }) => ({ read: (id, _, length) => blobs.read(id, 0, length) })),
  },
  {
    promise: 'a blob that is not there is not an empty one',
    noun: 'blobs',
    breaks: instead('blobs', ({ blobs }) => ({
      read: async (...range) => (await blobs.read(...range)) ?? new Uint8Array(),
    })),
  },
  {
    promise: 'what has come of a put that breaks off is not kept',
    noun: 'blobs',
    breaks: instead('blobs', ({ blobs }) => ({
      async put(id, pieces) {
        let failed: unknown = null
        async function* kept() {
          try {
            yield* pieces
          } catch (error) {
            failed = error
          }
        }
        const blob = await blobs.put(id, kept())
        if (failed) throw failed
        return blob
      },
    })),
  },
  {
    promise: 'what is there is not overwritten',
    noun: 'blobs',
    breaks: instead('blobs', ({ blobs }) => ({
      async put(id, pieces) {
        await blobs.delete(id)
        return blobs.put(id, pieces)
      },
    })),
  },
  {
    promise: 'a deleted blob is gone',
    noun: 'blobs',
    breaks: instead('blobs', () => ({ delete: async () => {} })),
  },
  {
    promise: 'a sweep leaves what is young',
    noun: 'blobs',
    breaks: instead('blobs', ({ blobs }) => ({ sweep: () => blobs.sweep('9999-01-01T00:00:00.000Z') })),
  },
]
