// What a key is good for at this moment.
import { type Permission, readPermission } from '../permissions.ts'
import { rolePermissions } from '../roles.ts'
import type { Key } from '../store/key.ts'
import type { Store } from '../store/store.ts'

/** A member's keys hold no more than the member's role, and nothing (null) when the member is gone. */
export async function heldPermissions(store: Pick<Store, 'members'>, key: Key): Promise<Permission[] | null> {
  const names = key.permissions.map(readPermission).filter((name) => name !== null)
  if (key.memberUuid === null) return names
  const member = await store.members.get(key.team, key.memberUuid)
  return member && names.filter((name) => rolePermissions[member.role].includes(name))
}
