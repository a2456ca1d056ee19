// Stores that break a promise about the vectors of texts.
import { type BrokenStore, instead } from './store-broken.ts'

export const brokenVectorStores: BrokenStore[] = [
  {
    promise: 'vectors come in the order asked for',
    noun: 'vectors',
    breaks: instead('vectors', ({ vectors }) => ({
      read: async (model, hashes, at) => (await vectors.read(model, hashes, at)).toReversed(),
    })),
  },
  {
    promise: 'vectors of two models are kept apart',
    noun: 'vectors',
    breaks: instead('vectors', ({ vectors }) => ({
      read: (_, hashes, at) => vectors.read('m', hashes, at),
      write: (_, entries, at) => vectors.write('m', entries, at),
    })),
  },
  {
    promise: 'a part of an array is kept, not all of it',
    noun: 'vectors',
    breaks: instead('vectors', ({ vectors }) => ({
      write: (model, entries, at) =>
        vectors.write(
          model,
          entries.map(({ hash, vector }) => ({ hash, vector: new Float32Array(vector.buffer) })),
          at,
        ),
    })),
  },
  {
    promise: 'reading is using',
    noun: 'vectors',
    breaks: instead('vectors', ({ vectors }) => ({
      read: (model, hashes) => vectors.read(model, hashes, '2000-01-01T00:00:00.000Z'),
    })),
  },
  {
    promise: 'vectors that are in use stay',
    noun: 'vectors',
    breaks: instead('vectors', ({ vectors }) => ({ prune: () => vectors.prune('9999') })),
  },
  {
    promise: 'vectors that are not used go',
    noun: 'vectors',
    breaks: instead('vectors', () => ({ prune: async () => {} })),
  },
]
