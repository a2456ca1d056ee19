// Teams, their keys and members, and invitations to become one.
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
  /** False where there is no such team. */
  rename(uuid: string, name: string): Promise<boolean>
  /** The oldest team, which the admin key works in; null before the first start. */
  first(): Promise<Team | null>
  /** Oldest first. */
  all(): Promise<Team[]>
}

export interface Key {
  uuid: string
  team: string
  name: string
  /** SHA-256 of the key, lower-case hex. */
  hash: string
  /** Current names; legacy names are translated before they are stored. */
  permissions: string[]
  /** UUIDs of the projects that the key is good for; null for all of the team. */
  projects: string[] | null
  memberUuid: string | null
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** Of sign-in links and the keys that they gave: UUID of the key that made the link, '' for the admin key. Else null. */
  signedInBy: string | null
}

export interface KeyStore {
  /** Conflict (`hash`) where another key has the hash. */
  insert(key: Key): Promise<void>
  byHash(hash: string): Promise<Key | null>
  get(team: string, uuid: string): Promise<Key | null>
  /** Newest first. */
  list(team: string, page: PageRequest): Promise<Paged<Key>>
  delete(team: string, uuid: string): Promise<boolean>
  deleteOfMember(team: string, memberUuid: string): Promise<void>
  /** Sets lastUsedAt where it is older. */
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
  /** Conflict (`email`) where the team has another member of that e-mail. */
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
  /** UUID of the member or the key that made it; null for the admin key. */
  creator: string | null
  /** SHA-256 of its token, lower-case hex. */
  hash: string
  createdAt: string
  expiresAt: string
}

export interface InvitationStore {
  insert(invitation: Invitation): Promise<void>
  /** Takes it out and answers it; of several who take it at once one gets it. Null for the others, and where it has expired at `now`. */
  take(hash: string, now: string): Promise<Invitation | null>
  /** Those that have not expired at `now`, newest first. */
  list(team: string, now: string, page: PageRequest): Promise<Paged<Invitation>>
  delete(team: string, uuid: string): Promise<boolean>
  /** Deletes all that have expired at `now`. */
  prune(now: string): Promise<void>
}
