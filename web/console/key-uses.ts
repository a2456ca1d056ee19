// Uses of keys, each with the minimum permissions.
import type { Permission } from './rows.ts'

export interface KeyUse {
  title: string
  permissions: Permission[]
}

export const keyUses: Record<string, KeyUse> = {
  search: { title: 'Search a private project, or read it as an agent', permissions: ['search'] },
  chat: { title: 'Search a private project and ask it', permissions: ['search', 'chats_create'] },
  sync: { title: 'Start syncs, for a build or release', permissions: ['sync_create', 'sync_read'] },
  upload: { title: 'Upload documents and sync', permissions: ['sources_create', 'sync_create', 'sync_read'] },
  analytics: { title: 'Read analytics', permissions: ['analytics_read'] },
}

export const permissionGroups: [title: string, permissions: Permission[]][] = [
  ['Readers', ['search', 'chats_create', 'chats_read', 'chats_delete', 'analytics_read']],
  ['Projects', ['projects_read', 'projects_create', 'projects_update', 'projects_delete']],
  ['Crawling', ['sources_read', 'sources_create', 'sources_delete', 'sync_read', 'sync_create']],
  ['Team', ['team_read', 'team_update', 'keys_read', 'keys_create', 'keys_delete']],
]
