import { Conflict } from '../../errors.ts'
import type { Invitation, InvitationStore, Member, MemberStore } from '../member.ts'
import type { Connection } from './connection.ts'

const memberColumns = 'uuid, team, name, email, role, created_at as createdAt, revision'
const invitationColumns = 'uuid, team, email, role, hash, created_at as createdAt, expires_at as expiresAt'

const orNull = <Row extends object>(row: Row | undefined): Row | null =>
  row === undefined ? null : { ...row }

export function createMembers(db: Connection): MemberStore {
  return {
    insert: async (member) => {
      db.write(() => {
        const { uuid, team, email } = member
        const holder = db.get<{ uuid: string }>(
          'select uuid from member where team = ? and email = ?',
          team,
          email,
        )
        if (holder !== undefined && holder.uuid !== uuid) throw new Conflict('email')
        db.run(
          `insert into member (uuid, team, name, email, role, created_at, revision) values (?, ?, ?, ?, ?, ?, ?)
           on conflict (uuid) do nothing`,
          ...[uuid, team, member.name, email, member.role, member.createdAt, member.revision],
        )
      })
    },
    get: async (team, uuid) =>
      orNull(db.get<Member>(`select ${memberColumns} from member where uuid = ? and team = ?`, uuid, team)),
    byEmail: async (team, email) =>
      orNull(db.get<Member>(`select ${memberColumns} from member where team = ? and email = ?`, team, email)),
    list: async (team, { offset, limit }) => ({
      count: db.get<{ n: number }>('select count(*) as n from member where team = ?', team)!.n,
      rows: db
        .all<Member>(
          `select ${memberColumns} from member where team = ? order by created_at, uuid limit ? offset ?`,
          team,
          limit,
          offset,
        )
        .map((row) => ({ ...row })),
    }),
    update: async ({ uuid, name, role, revision }) =>
      db.run(
        'update member set name = ?, role = ?, revision = ? where uuid = ? and revision = ?',
        ...[name, role, revision, uuid, revision - 1],
      ) > 0,
    delete: async (team, uuid) => db.run('delete from member where uuid = ? and team = ?', uuid, team) > 0,
  }
}

export function createInvitations(db: Connection): InvitationStore {
  return {
    insert: async ({ uuid, team, email, role, hash, createdAt, expiresAt }) => {
      db.run(
        `insert into invitation (uuid, team, email, role, hash, created_at, expires_at) values (?, ?, ?, ?, ?, ?, ?)
         on conflict (uuid) do nothing`,
        ...[uuid, team, email, role, hash, createdAt, expiresAt],
      )
    },
    take: async (hash, now) =>
      db.write(() => {
        const found = db.get<Invitation>(
          `select ${invitationColumns} from invitation where hash = ? and expires_at > ?`,
          hash,
          now,
        )
        if (found !== undefined) db.run('delete from invitation where hash = ?', hash)
        return orNull(found)
      }),
    list: async (team, now, { offset, limit }) => ({
      count: db.get<{ n: number }>(
        'select count(*) as n from invitation where team = ? and expires_at > ?',
        team,
        now,
      )!.n,
      rows: db
        .all<Invitation>(
          `select ${invitationColumns} from invitation where team = ? and expires_at > ?
           order by created_at desc, uuid desc limit ? offset ?`,
          ...[team, now, limit, offset],
        )
        .map((row) => ({ ...row })),
    }),
    delete: async (team, uuid) =>
      db.run('delete from invitation where uuid = ? and team = ?', uuid, team) > 0,
    prune: async (now) => {
      db.run('delete from invitation where expires_at <= ?', now)
    },
  }
}
