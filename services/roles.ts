// What members may do: a list of permissions a role, each role with those of the one before it.
import { type Permission, permissions } from './permissions.ts'

export type MemberRole = 'viewer' | 'editor' | 'maintainer' | 'administrator'

const viewer = permissions.filter((name) => name.endsWith('_read') && name !== 'keys_read').concat('search')
const editor: Permission[] = [
  ...viewer,
  'sources_create',
  'sources_delete',
  'sync_create',
  'projects_update',
  'chats_create',
]
const maintainer: Permission[] = [
  ...editor,
  'projects_create',
  'projects_delete',
  'chats_delete',
  'keys_read',
  'keys_create',
  'keys_delete',
]

export const rolePermissions: Record<MemberRole, readonly Permission[]> = {
  viewer,
  editor,
  maintainer,
  administrator: permissions,
}
