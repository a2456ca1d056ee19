// API keys, by the hash of each.
import type { Key, KeyStore } from '../key.ts'
import type { Connection } from './connection.ts'
import { createTable, insertNew, readOne, readPage, refuseTaken } from './table.ts'

const keys = createTable<Key>('key', {
  plain: 'uuid team name hash memberUuid createdAt expiresAt lastUsedAt',
  json: 'permissions projects',
})

export function createKeys(db: Connection): KeyStore {
  return {
    insert: async (key) => {
      db.write(() => {
        refuseTaken(db, 'hash', key.uuid, 'select uuid from key where hash = ?', key.hash)
        insertNew(db, keys, key)
      })
    },
    byHash: async (hash) => readOne(db, keys, 'from key where hash = ?', hash),
    get: async (team, uuid) => readOne(db, keys, 'from key where uuid = ? and team = ?', uuid, team),
    list: async (team, page) => {
      const newestFirst = 'created_at desc, uuid desc'
      return readPage(db, keys, { from: 'from key where team = ?', values: [team], order: newestFirst }, page)
    },
    delete: async (team, uuid) => db.run('delete from key where uuid = ? and team = ?', uuid, team) > 0,
    deleteOfMember: async (team, memberUuid) => {
      db.run('delete from key where team = ? and member_uuid = ?', team, memberUuid)
    },
    touch: async (uuid, at) => {
      const sql =
        'update key set last_used_at = ?1 where uuid = ?2 and (last_used_at is null or last_used_at < ?1)'
      await db.writeInBackground(() => db.run(sql, at, uuid))
    },
  }
}
