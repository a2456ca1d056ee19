// Teams with their members, invitations and API keys.
import type {
  Invitation,
  InvitationStore,
  Key,
  KeyStore,
  Member,
  MemberStore,
  Team,
  TeamStore,
} from '../team.ts'
import type { Connection } from './connection.ts'
import { createTable, insertNew, readAll, readOne, readPage, refuseTaken, updateRevision } from './table.ts'

const teams = createTable<Team>('team', { plain: 'uuid name createdAt' })
const members = createTable<Member>('member', {
  plain: 'uuid team name email role createdAt revision',
})
const invitations = createTable<Invitation>('invitation', {
  plain: 'uuid team email role creator hash createdAt expiresAt',
})

export function createTeams(db: Connection): TeamStore {
  const oldestFirst = 'from team order by created_at, uuid'
  return {
    insert: async (team) => {
      insertNew(db, teams, team)
    },
    get: async (uuid) => readOne(db, teams, 'from team where uuid = ?', uuid),
    rename: async (uuid, name) => db.run('update team set name = ? where uuid = ?', name, uuid) > 0,
    first: async () => readOne(db, teams, `${oldestFirst} limit 1`),
    all: async () => readAll(db, teams, oldestFirst),
  }
}

export function createMembers(db: Connection): MemberStore {
  return {
    insert: async (member) => {
      db.write(() => {
        const { uuid, team, email } = member
        refuseTaken(db, 'email', uuid, 'select uuid from member where team = ? and email = ?', team, email)
        insertNew(db, members, member)
      })
    },
    get: async (team, uuid) => readOne(db, members, 'from member where uuid = ? and team = ?', uuid, team),
    byEmail: async (team, email) =>
      readOne(db, members, 'from member where team = ? and email = ?', team, email),
    list: async (team, page) => {
      const from = 'from member where team = ?'
      return readPage(db, members, { from, values: [team], order: 'created_at, uuid' }, page)
    },
    update: async (member) => updateRevision(db, members, 'name role revision', member),
    delete: async (team, uuid) => db.run('delete from member where uuid = ? and team = ?', uuid, team) > 0,
  }
}

export function createInvitations(db: Connection): InvitationStore {
  return {
    insert: async (invitation) => {
      insertNew(db, invitations, invitation)
    },
    take: async (hash, now) =>
      db.write(() => {
        const from = 'from invitation where hash = ? and expires_at > ?'
        const found = readOne(db, invitations, from, hash, now)
        if (found !== null) db.run('delete from invitation where hash = ?', hash)
        return found
      }),
    list: async (team, now, page) => {
      const from = 'from invitation where team = ? and expires_at > ?'
      const newestFirst = 'created_at desc, uuid desc'
      return readPage(db, invitations, { from, values: [team, now], order: newestFirst }, page)
    },
    delete: async (team, uuid) =>
      db.run('delete from invitation where uuid = ? and team = ?', uuid, team) > 0,
    prune: async (now) => {
      db.run('delete from invitation where expires_at <= ?', now)
    },
  }
}

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
