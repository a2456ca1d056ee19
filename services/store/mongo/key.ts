import type { Key, KeyStore } from '../key.ts'
import type { MongoDb } from './connection.ts'
import { fromStored, fromStoredOrNull, insertOnce, type Stored, toStored } from './row.ts'

export function createKeys(db: MongoDb): KeyStore {
  const keys = db.collection<Stored<Key>>('keys')
  return {
    insert: async (key) => {
      await insertOnce(keys, toStored(key), 'hash')
    },
    byHash: async (hash) => fromStoredOrNull<Key>(await keys.findOne({ hash })),
    get: async (team, uuid) => fromStoredOrNull<Key>(await keys.findOne({ _id: uuid, team })),
    list: async (team, { offset, limit }) => {
      const newestFirst = keys.find({ team }).sort({ createdAt: -1, _id: -1 })
      return {
        count: await keys.countDocuments({ team }),
        rows: (await newestFirst.skip(offset).limit(limit).toArray()).map(fromStored<Key>),
      }
    },
    delete: async (team, uuid) => (await keys.deleteOne({ _id: uuid, team })).deletedCount > 0,
    deleteOfMember: async (team, memberUuid) => {
      await keys.deleteMany({ team, memberUuid })
    },
    touch: async (uuid, at) => {
      const isOlder = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: at } }] }
      await keys.updateOne({ _id: uuid, ...isOlder }, { $set: { lastUsedAt: at } })
    },
  }
}
