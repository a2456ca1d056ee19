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
import { createRows, createTable } from './table.ts'

const teamTable = createTable<Team>('team', 'uuid name createdAt')
const keyTable = createTable<Key>(
  'key',
  'uuid team name hash permissions:json projects:json? memberUuid? createdAt expiresAt? lastUsedAt? signedInBy?',
  { extra: 'unique (hash)' },
)
const memberTable = createTable<Member>('member', 'uuid team name email role createdAt revision:int', {
  extra: 'unique (team, email)',
})
const invitationTable = createTable<Invitation>(
  'invitation',
  'uuid team email role creator? hash createdAt expiresAt',
  { extra: 'unique (hash)' },
)

export const teamSchema = `
${teamTable.sql}
${keyTable.sql}
create index key_of_team on key (team, created_at, uuid);
${memberTable.sql}
create index member_of_team on member (team, created_at, uuid);
${invitationTable.sql}
create index invitation_of_team on invitation (team, created_at, uuid);
`

const newestFirst = 'order by created_at desc, uuid desc'
const oldestFirst = 'order by created_at, uuid'

export function createTeams(db: Connection): TeamStore {
  const teams = createRows(db, teamTable)
  return {
    insert: async (team) => void teams.insert(team),
    get: async (uuid) => teams.one('where uuid = ?', [uuid]),
    rename: async (uuid, name) => db.run('update team set name = ? where uuid = ?', [name, uuid]) > 0,
    first: async () => teams.one(`${oldestFirst} limit 1`),
    all: async () => teams.all(oldestFirst),
  }
}

export function createKeys(db: Connection): KeyStore {
  const keys = createRows(db, keyTable)
  return {
    insert: async (key) => keys.insertUnique(key, 'hash', 'where hash = ?', [key.hash]),
    byHash: async (hash) => keys.one('where hash = ?', [hash]),
    get: async (team, uuid) => keys.one('where uuid = ? and team = ?', [uuid, team]),
    list: async (team, page) => keys.page(`where team = ? ${newestFirst}`, [team], page),
    delete: async (team, uuid) => db.run('delete from key where uuid = ? and team = ?', [uuid, team]) > 0,
    deleteOfMember: async (team, member) =>
      void db.run('delete from key where team = ? and member_uuid = ?', [team, member]),
    touch: async (uuid, at) => {
      const sql =
        'update key set last_used_at = ?1 where uuid = ?2 and (last_used_at is null or last_used_at < ?1)'
      await db.writeInBackground(() => db.run(sql, [at, uuid]))
    },
  }
}

export function createMembers(db: Connection): MemberStore {
  const members = createRows(db, memberTable)
  return {
    insert: async (member) =>
      members.insertUnique(member, 'email', 'where team = ? and email = ?', [member.team, member.email]),
    get: async (team, uuid) => members.one('where uuid = ? and team = ?', [uuid, team]),
    byEmail: async (team, email) => members.one('where team = ? and email = ?', [team, email]),
    list: async (team, page) => members.page(`where team = ? ${oldestFirst}`, [team], page),
    update: async (member) => members.update(member, 'name role revision'),
    delete: async (team, uuid) => db.run('delete from member where uuid = ? and team = ?', [uuid, team]) > 0,
  }
}

export function createInvitations(db: Connection): InvitationStore {
  const invitations = createRows(db, invitationTable)
  return {
    insert: async (invitation) => void invitations.insert(invitation),
    take: async (hash, now) =>
      db.write(() => {
        const invitation = invitations.one('where hash = ? and expires_at > ?', [hash, now])
        if (invitation !== null) db.run('delete from invitation where hash = ?', [hash])
        return invitation
      }),
    list: async (team, now, page) =>
      invitations.page(`where team = ? and expires_at > ? ${newestFirst}`, [team, now], page),
    delete: async (team, uuid) =>
      db.run('delete from invitation where uuid = ? and team = ?', [uuid, team]) > 0,
    prune: async (now) => void db.run('delete from invitation where expires_at <= ?', [now]),
  }
}
