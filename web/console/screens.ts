// The screens, in the order of the navigation. README.md explains how to add one.
import type { ComponentType } from 'preact'
import type { Parameters, ScreenProps } from './address.ts'
import type { Permission } from './rows.ts'

export type ScreenComponent = ComponentType<ScreenProps>

export interface ScreenRow {
  /** Path below /console/. `{slug}` is the project. */
  path: string
  title: string
  /** Group in the navigation. Null if only other screens link to it. */
  group: 'all' | 'project' | 'team' | null
  /** Required permission. Without it, the screen does not exist. */
  permission: Permission
  /** Loads the module with `Screen`, a separate chunk. */
  load(): Promise<{ Screen: ScreenComponent }>
}

// biome-ignore format: a table
export const screens: ScreenRow[] = [
  { path: '', title: 'Overview', group: 'all', permission: 'projects_read', load: () => import('./screens/overview.tsx') },
  { path: 'projects/{slug}/pages', title: 'Pages', group: 'project', permission: 'sync_read', load: () => import('./screens/pages.tsx') },
  { path: 'projects/{slug}/runs', title: 'Runs', group: 'project', permission: 'sync_read', load: () => import('./screens/runs.tsx') },
  { path: 'projects/{slug}/runs/{uuid}', title: 'Run', group: null, permission: 'sync_read', load: () => import('./screens/run.tsx') },
  { path: 'projects/{slug}/sources', title: 'Sources', group: 'project', permission: 'sources_read', load: () => import('./screens/sources.tsx') },
  { path: 'projects/{slug}/sources/new', title: 'Add a source', group: null, permission: 'sources_create', load: () => import('./screens/source.tsx') },
  { path: 'projects/{slug}/sources/{uuid}', title: 'Source', group: null, permission: 'sources_create', load: () => import('./screens/source.tsx') },
  { path: 'projects/{slug}/try', title: 'Search and ask', group: 'project', permission: 'search', load: () => import('./screens/try.tsx') },
  { path: 'projects/{slug}/readers', title: 'Readers', group: 'project', permission: 'analytics_read', load: () => import('./screens/readers.tsx') },
  { path: 'projects/{slug}/conversations', title: 'Conversations', group: 'project', permission: 'chats_read', load: () => import('./screens/conversations.tsx') },
  { path: 'projects/{slug}/conversations/{uuid}', title: 'Conversation', group: null, permission: 'chats_read', load: () => import('./screens/conversation.tsx') },
  { path: 'projects/{slug}/evaluation', title: 'Evaluation', group: 'project', permission: 'search', load: () => import('./screens/evaluation.tsx') },
  { path: 'projects/{slug}/health', title: 'Health', group: 'project', permission: 'sync_read', load: () => import('./screens/health.tsx') },
  { path: 'projects/{slug}/embed', title: 'Embed', group: 'project', permission: 'projects_read', load: () => import('./screens/embed.tsx') },
  { path: 'projects/{slug}/settings', title: 'Settings', group: 'project', permission: 'projects_update', load: () => import('./screens/settings.tsx') },
  { path: 'team', title: 'Team', group: 'team', permission: 'team_read', load: () => import('./screens/team.tsx') },
  { path: 'keys', title: 'Keys', group: 'team', permission: 'keys_read', load: () => import('./screens/keys.tsx') },
  { path: 'system', title: 'System', group: 'team', permission: 'team_read', load: () => import('./screens/system.tsx') },
  { path: 'projects/{slug}/pages/lookup', title: 'Page inspector', group: null, permission: 'sync_read', load: () => import('./screens/page.tsx') },
]

/** The screen of a path, with the values of its braces, or null. */
export function findScreen(path: string): { screen: ScreenRow; parameters: Parameters } | null {
  const parts = path.split('/')
  for (const screen of screens) {
    const pattern = screen.path.split('/')
    if (pattern.length !== parts.length) continue
    const parameters: Parameters = {}
    const matches = pattern.every((each, at) => {
      const name = /^\{(\w+)\}$/.exec(each)?.[1]
      if (name === undefined) return each === parts[at]
      parameters[name] = decodePart(parts[at]!)
      return true
    })
    if (matches) return { screen, parameters }
  }
  return null
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
