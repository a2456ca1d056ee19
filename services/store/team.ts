// Teams, their keys, members and invitations.
import type { MemberRole } from '../permissions.ts'
import type { Paged, PageRequest } from './paging.ts'

export interface Team {
  uuid: string
  name: string
  createdAt: string
}

export interface TeamStore {
  insert(team: Team): Promise<void>
  get(uuid: string): Promise<Team | null>
  /** False if there is no such team. */
  rename(uuid: string, name: string): Promise<boolean>
  /** The oldest team, which the admin key uses by default; null before the first start. */
  first(): Promise<Team | null>
  /** Oldest first. */
  all(): Promise<Team[]>
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

export interface KeyStore {
  /** Rejects with Conflict(`hash`) if another key has the hash. */
  insert(key: Key): Promise<void>
  byHash(hash: string): Promise<Key | null>
  get(team: string, uuid: string): Promise<Key | null>
  /** Newest first. */
  list(team: string, page: PageRequest): Promise<Paged<Key>>
  delete(team: string, uuid: string): Promise<boolean>
  deleteOfMember(team: string, memberUuid: string): Promise<void>
  /** Sets lastUsedAt unless it is later. */
  touch(uuid: string, at: string): Promise<void>
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

export interface MemberStore {
  /** Rejects with Conflict(`email`) if the team has another member with the email. */
  insert(member: Member): Promise<void>
  get(team: string, uuid: string): Promise<Member | null>
  byEmail(team: string, email: string): Promise<Member | null>
  /** Oldest first. */
  list(team: string, page: PageRequest): Promise<Paged<Member>>
  /** Writes name and role. */
  update(member: Member): Promise<boolean>
  delete(team: string, uuid: string): Promise<boolean>
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

export interface InvitationStore {
  insert(invitation: Invitation): Promise<void>
  /** Deletes the invitation and returns it. Null if it is unknown, expired at `now`, or taken by a concurrent call. */
  take(hash: string, now: string): Promise<Invitation | null>
  /** Invitations that have not expired at `now`, newest first. */
  list(team: string, now: string, page: PageRequest): Promise<Paged<Invitation>>
  delete(team: string, uuid: string): Promise<boolean>
  /** Deletes invitations that have expired at `now`. */
  prune(now: string): Promise<void>
}
