// The names of permissions and their legacy aliases.
import { DomainError } from './errors.ts'

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

/** The permission of that current or legacy name, or null. */
export function readPermission(name: string): Permission | null {
  return (
    permissions.find((permission) => permission === name) ??
    (Object.hasOwn(aliases, name) ? aliases[name]! : null)
  )
}

/** Nobody can grant what they do not hold: throws DomainError permission_denied, with `field` at fault. */
export function requireHeld(granted: readonly string[], held: ReadonlySet<string>, field: string): void {
  const missing = granted.filter((name) => !held.has(name))
  if (missing.length === 0) return
  const sentence = `You cannot grant what you do not hold: ${missing.join(', ')}.`
  throw new DomainError('permission_denied', sentence, { [field]: ['holds more than your own key'] })
}
