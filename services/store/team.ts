// Teams, their keys, members and invitations.
import type { MemberRole } from '../permissions.ts'
import type { PageRequest } from './paging.ts'
import { newestFirst, oldestFirst, type Rows, type Table, update } from './rows.ts'

export interface Team {
  uuid: string
  name: string
  createdAt: string
}

export const teamTable: Table<Team> = { name: 'team', fields: 'uuid name createdAt' }

export type TeamStore = ReturnType<typeof createTeams>

export function createTeams(teams: Rows<Team>) {
  return {
    insert: async (team: Team) => void (await teams.insert(team)),
    get: async (uuid: string) => teams.one({ uuid }),
    /** False if there is no such team. */
    rename: async (uuid: string, name: string) => teams.set({ uuid }, { name }),
    /** The oldest team, which the admin key uses by default; null before the first start. */
    first: async () => (await teams.all({}, oldestFirst))[0] ?? null,
    /** Oldest first. */
    all: async () => teams.all({}, oldestFirst),
  }
}

export interface Key {
  uuid: string
  team: string
  name: string
  /** SHA-256 of the key, in lower-case hex. */
  hash: string
  /** Current names. Legacy names are converted before they are stored. */
  permissions: string[]
  /** UUIDs of the projects that the key is scoped to; null: all projects of the team. */
  projects: string[] | null
  memberUuid: string | null
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** For sign-in links and sessions: UUID of the key that created the link, '' for the admin key. Else null. */
  signedInBy: string | null
}

export const keyTable: Table<Key> = {
  name: 'key',
  fields:
    'uuid team name hash permissions:json projects:json? memberUuid? createdAt expiresAt? lastUsedAt? signedInBy?',
  unique: { fields: 'hash', conflict: 'hash' },
  indexes: ['team createdAt uuid'],
}

export type KeyStore = ReturnType<typeof createKeys>

export function createKeys(keys: Rows<Key>) {
  return {
    /** Rejects with Conflict(`hash`) if another key has the hash. */
    insert: async (key: Key) => void (await keys.insert(key)),
    byHash: async (hash: string) => keys.one({ hash }),
    get: async (team: string, uuid: string) => keys.one({ uuid, team }),
    /** Newest first. */
    list: async (team: string, page: PageRequest) => keys.page({ team }, newestFirst, page),
    delete: async (team: string, uuid: string) => keys.delete({ uuid, team }),
    deleteOfMember: async (team: string, memberUuid: string) =>
      void (await keys.delete({ team, memberUuid })),
    /** Sets lastUsedAt unless it is later. */
    touch: async (uuid: string, at: string) =>
      void (await keys.set({ uuid, lastUsedAt: { $not: { $gt: at } } }, { lastUsedAt: at })),
  }
}

export interface Member {
  uuid: string
  team: string
  name: string
  /** Lower case. */
  email: string
  role: MemberRole
  createdAt: string
  revision: number
}

export const memberTable: Table<Member> = {
  name: 'member',
  fields: 'uuid team name email role createdAt revision:int',
  unique: { fields: 'team email', conflict: 'email' },
  indexes: ['team createdAt uuid'],
}

export type MemberStore = ReturnType<typeof createMembers>

export function createMembers(members: Rows<Member>) {
  return {
    /** Rejects with Conflict(`email`) if the team has another member with the email. */
    insert: async (member: Member) => void (await members.insert(member)),
    get: async (team: string, uuid: string) => members.one({ uuid, team }),
    byEmail: async (team: string, email: string) => members.one({ team, email }),
    /** Oldest first. */
    list: async (team: string, page: PageRequest) => members.page({ team }, oldestFirst, page),
    /** Writes name and role. */
    update: async (member: Member) => update(members, member, ['name', 'role']),
    delete: async (team: string, uuid: string) => members.delete({ uuid, team }),
  }
}

export interface Invitation {
  uuid: string
  team: string
  /** Lower case. */
  email: string
  role: MemberRole
  /** UUID of the member or the key that created the invitation; null for the admin key. */
  creator: string | null
  /** SHA-256 of the token, in lower-case hex. */
  hash: string
  createdAt: string
  expiresAt: string
}

export const invitationTable: Table<Invitation> = {
  name: 'invitation',
  fields: 'uuid team email role creator? hash createdAt expiresAt',
  unique: { fields: 'hash', conflict: 'hash' },
  indexes: ['team createdAt uuid', 'expiresAt'],
}

export type InvitationStore = ReturnType<typeof createInvitations>

export function createInvitations(invitations: Rows<Invitation>) {
  return {
    insert: async (invitation: Invitation) => void (await invitations.insert(invitation)),
    /** Deletes the invitation and returns it. Null if it is unknown, expired at `now`, or taken by a concurrent call. */
    async take(hash: string, now: string): Promise<Invitation | null> {
      const invitation = await invitations.one({ hash, expiresAt: { $gt: now } })
      return invitation && (await invitations.delete({ uuid: invitation.uuid })) ? invitation : null
    },
    /** Invitations that have not expired at `now`, newest first. */
    list: async (team: string, now: string, page: PageRequest) =>
      invitations.page({ team, expiresAt: { $gt: now } }, newestFirst, page),
    delete: async (team: string, uuid: string) => invitations.delete({ uuid, team }),
    /** Deletes invitations that have expired at `now`. */
    prune: async (now: string) => void (await invitations.delete({ expiresAt: { $lte: now } })),
  }
}
