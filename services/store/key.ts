import type { Paged, PageRequest } from './paging.ts'

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
}

export interface KeyStore {
  /** Conflict (`hash`) when the hash belongs to another key. The same uuid again changes nothing. */
  insert(key: Key): Promise<void>
  byHash(hash: string): Promise<Key | null>
  get(team: string, uuid: string): Promise<Key | null>
  /** Newest first. */
  list(team: string, page: PageRequest): Promise<Paged<Key>>
  /** False when there was none. */
  delete(team: string, uuid: string): Promise<boolean>
  /** Deletes all keys of a member. */
  deleteOfMember(team: string, memberUuid: string): Promise<void>
  /** Sets lastUsedAt where it is older. */
  touch(uuid: string, at: string): Promise<void>
}
