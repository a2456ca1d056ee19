import { Conflict } from '../../errors.ts'
import type { Key, KeyStore } from '../key.ts'
import type { Connection } from './connection.ts'

type KeyRow = Omit<Key, 'permissions' | 'projects'> & { permissions: string; projects: string | null }

const columns = `uuid, team, name, hash, permissions, projects, member_uuid as memberUuid, created_at as createdAt,
  expires_at as expiresAt, last_used_at as lastUsedAt`

function toKey(row: KeyRow): Key {
  return {
    ...row,
    permissions: JSON.parse(row.permissions),
    projects: row.projects === null ? null : JSON.parse(row.projects),
  }
}

const toKeyOrNull = (row: KeyRow | undefined): Key | null => (row === undefined ? null : toKey(row))

export function createKeys(db: Connection): KeyStore {
  return {
    insert: async (key) => {
      db.write(() => {
        const holder = db.get<{ uuid: string }>('select uuid from key where hash = ?', key.hash)
        if (holder !== undefined && holder.uuid !== key.uuid) throw new Conflict('hash')
        db.run(
          `insert into key (uuid, team, name, hash, permissions, projects, member_uuid, created_at, expires_at, last_used_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (uuid) do nothing`,
          key.uuid,
          key.team,
          key.name,
          key.hash,
          JSON.stringify(key.permissions),
          key.projects === null ? null : JSON.stringify(key.projects),
          key.memberUuid,
          key.createdAt,
          key.expiresAt,
          key.lastUsedAt,
        )
      })
    },
    byHash: async (hash) => toKeyOrNull(db.get<KeyRow>(`select ${columns} from key where hash = ?`, hash)),
    get: async (team, uuid) =>
      toKeyOrNull(db.get<KeyRow>(`select ${columns} from key where uuid = ? and team = ?`, uuid, team)),
    list: async (team, { offset, limit }) => ({
      count: db.get<{ n: number }>('select count(*) as n from key where team = ?', team)!.n,
      rows: db
        .all<KeyRow>(
          `select ${columns} from key where team = ? order by created_at desc, uuid desc limit ? offset ?`,
          team,
          limit,
          offset,
        )
        .map(toKey),
    }),
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
