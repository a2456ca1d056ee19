import type { Invitation, InvitationStore, Member, MemberStore } from '../member.ts'
import type { Connection } from './connection.ts'
import { createTable, readPage, refuseTaken, type Values } from './table.ts'

const members = createTable<Member>('member', {
  plain: 'uuid team name email role createdAt revision',
})
const invitations = createTable<Invitation>('invitation', {
  plain: 'uuid team email role creator hash createdAt expiresAt',
})

export function createMembers(db: Connection): MemberStore {
  const get = (where: string, ...values: string[]) =>
    members.toRowOrNull(
      db.get<Values<Member>>(`select ${members.columns} from member where ${where}`, ...values),
    )
  return {
    insert: async (member) => {
      db.write(() => {
        const { uuid, team, email } = member
        refuseTaken(db, 'email', uuid, 'select uuid from member where team = ? and email = ?', team, email)
        db.run(
          `insert into member (${members.names}) values (${members.parameters}) on conflict (uuid) do nothing`,
          members.values(member),
        )
      })
    },
    get: async (team, uuid) => get('uuid = ? and team = ?', uuid, team),
    byEmail: async (team, email) => get('team = ? and email = ?', team, email),
    list: async (team, page) =>
      readPage(
        db,
        members,
        { from: 'from member where team = ?', values: [team], order: 'created_at, uuid' },
        page,
      ),
    update: async (member) =>
      db.run(
        `update member set ${members.set('name role revision')} where uuid = $uuid and revision = $revision - 1`,
        members.values(member),
      ) > 0,
    delete: async (team, uuid) => db.run('delete from member where uuid = ? and team = ?', uuid, team) > 0,
  }
}

export function createInvitations(db: Connection): InvitationStore {
  return {
    insert: async (invitation) => {
      db.run(
        `insert into invitation (${invitations.names}) values (${invitations.parameters}) on conflict (uuid) do nothing`,
        invitations.values(invitation),
      )
    },
    take: async (hash, now) =>
      db.write(() => {
        const found = db.get<Values<Invitation>>(
          `select ${invitations.columns} from invitation where hash = ? and expires_at > ?`,
          hash,
          now,
        )
        if (found !== undefined) db.run('delete from invitation where hash = ?', hash)
        return invitations.toRowOrNull(found)
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
