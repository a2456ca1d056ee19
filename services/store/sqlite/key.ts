import type { Key, KeyStore } from '../key.ts'
import type { Connection } from './connection.ts'
import { createTable, readPage, refuseTaken, type Values } from './table.ts'

const keys = createTable<Key>('key', {
  plain: 'uuid team name hash memberUuid createdAt expiresAt lastUsedAt',
  json: 'permissions projects',
})

export function createKeys(db: Connection): KeyStore {
  const get = (where: string, ...values: string[]) =>
    keys.toRowOrNull(db.get<Values<Key>>(`select ${keys.columns} from key where ${where}`, ...values))
  return {
    insert: async (key) => {
      db.write(() => {
        refuseTaken(db, 'hash', key.uuid, 'select uuid from key where hash = ?', key.hash)
        db.run(
          `insert into key (${keys.names}) values (${keys.parameters}) on conflict (uuid) do nothing`,
          keys.values(key),
        )
      })
    },
    byHash: async (hash) => get('hash = ?', hash),
    get: async (team, uuid) => get('uuid = ? and team = ?', uuid, team),
    list: async (team, page) => {
      const newestFirst = 'created_at desc, uuid desc'
      return readPage(db, keys, { from: 'from key where team = ?', values: [team], order: newestFirst }, page)
    },
    delete: async (team, uuid) => db.run('delete from key where uuid = ? and team = ?', uuid, team) > 0,
    deleteOfMember: async (team, memberUuid) => {
      db.run('delete from key where team = ? and member_uuid = ?', team, memberUuid)
    },
    touch: async (uuid, at) => {
      await db.writeInBackground(() =>
        db.run(
          'update key set last_used_at = ?1 where uuid = ?2 and (last_used_at is null or last_used_at < ?1)',
          at,
          uuid,
        ),
      )
    },
  }
}
