// Permissions with their legacy names, and the roles of members. Each role includes the permissions of the previous one.
import { DomainError, type FieldErrors } from './errors.ts'

export const permissions = [
  'projects_create',
  'projects_read',
  'projects_update',
  'projects_delete',
  'search',
  'sources_read',
  'sources_create',
  'sources_delete',
  'sync_create',
  'sync_read',
  'chats_create',
  'chats_read',
  'chats_delete',
  'analytics_read',
  'team_read',
  'team_update',
  'keys_read',
  'keys_create',
  'keys_delete',
] as const

export type Permission = (typeof permissions)[number]

const aliases: Record<string, Permission> = {
  project_read: 'projects_read',
  project_search: 'search',
  project_sources_read: 'sources_read',
  project_sources_create: 'sources_create',
  project_sources_delete: 'sources_delete',
  project_sync: 'sync_create',
  chat_create: 'chats_create',
}

/** Returns the permission with the current or legacy name, or null. */
export function readPermission(name: string): Permission | null {
  return (
    permissions.find((permission) => permission === name) ??
    (Object.hasOwn(aliases, name) ? aliases[name]! : null)
  )
}

/** Throws DomainError permission_denied, for `field`, if the caller grants a permission that it lacks. */
export function requireHeld(granted: readonly string[], held: ReadonlySet<string>, field: string): void {
  const fields = { [field]: ['holds more than your own key'] }
  refuseMore(granted, held, 'You cannot grant what you do not hold', fields)
}

/**
 * Throws DomainError permission_denied if `theirs` has permissions that are not in `held`. `sentence`: what the caller
 * cannot do, without a period.
 */
export function refuseMore(
  theirs: readonly string[],
  held: ReadonlySet<string>,
  sentence: string,
  fields: FieldErrors | null = null,
): void {
  const missing = theirs.filter((name) => !held.has(name))
  if (missing.length === 0) return
  throw new DomainError('permission_denied', `${sentence}: ${missing.join(', ')}.`, fields)
}

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
