// Responses of REST v2, with the fields that the console reads. Names are the API's.

export type Permission =
  | 'projects_create'
  | 'projects_read'
  | 'projects_update'
  | 'projects_delete'
  | 'search'
  | 'sources_read'
  | 'sources_create'
  | 'sources_delete'
  | 'sync_create'
  | 'sync_read'
  | 'chats_create'
  | 'chats_read'
  | 'chats_delete'
  | 'analytics_read'
  | 'team_read'
  | 'team_update'
  | 'keys_read'
  | 'keys_create'
  | 'keys_delete'

/** The envelope of lists. */
export interface List<T> {
  count: number
  results: T[]
}

export interface OwnKey {
  /** Null for the admin key. */
  uuid: string | null
  name: string
  permissions: Permission[]
  /** Slugs; null: all projects of the team. */
  projects: string[] | null
  member_uuid: string | null
  expires_at: string | null
  team_uuid: string
  team_name: string
  /** The admin key, or a session that it created. */
  admin: boolean
}

export type RunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

export interface PageCounts {
  discovered: number
  pending: number
  fetched: number
  unchanged: number
  added: number
  updated: number
  removed: number
  skipped: number
  failed: number
}

export interface EmbeddingProgress {
  total: number
  done: number
  model: string
  refused: number
}

export interface SyncSummary {
  uuid: string
  status: RunStatus
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export interface SyncRun extends SyncSummary {
  trigger: 'api' | 'schedule' | 'console' | 'cli'
  pages: PageCounts
  error: string | null
  superseded_by: string | null
  embedding: EmbeddingProgress | null
  sources_failed: number
}

export interface SyncEvent {
  sequence: number
  at: string
  level: 'info' | 'warning' | 'error'
  type: string
  url: string | null
  source_uuid: string | null
  reason: string | null
  message: string
}

export interface Project {
  slug: string
  uuid: string
  name: string
  is_private: boolean
  whitelabel: boolean
  allowed_domains: string[]
  last_sync: SyncSummary | null
  created_at: string
  updated_at: string
  config: ProjectConfig
  embedding: EmbeddingProgress | null
}

export interface ProjectConfig {
  chat: {
    initial_message: string | null
    suggested_questions: string[]
    think_mode: boolean
    actions: { name: string; button_text: string; url: string }[]
  }
  search: { filters: { title: string; url: string; position: number }[] }
  mcp: { enabled: boolean; server_name: string | null; metadata_tag: string | null }
  prompt: { use_default: boolean; version: string; extend: string | null }
  sync: { schedule: string | null }
  retention_days: number | null
}

export type SourceType =
  | 'url'
  | 'site'
  | 'sitemap'
  | 'repository'
  | 'openapi'
  | 'confluence'
  | 'file'
  | 'hosted_site'

/** Fields of other types are absent. */
export interface Source {
  uuid: string
  name: string
  type: SourceType
  url: string | null
  created_at: string
  last_crawled_at: string | null
  page_count: number
  state: 'pending' | 'ok' | 'failed'
  last_error: string | null
  include?: string[]
  exclude?: string[]
  max_pages?: number | null
  max_depth?: number | null
  branch?: string | null
  space_key?: string | null
  file_name?: string | null
  base_url?: string | null
}

export type PageStatus = 'indexed' | 'skipped' | 'failed' | 'pending' | 'unknown'

export interface ListedPage {
  url: string
  title: string | null
  status: PageStatus
  reason: string | null
  source_uuids: string[]
  version: string | null
  language: string | null
  sections: number
  embedded: number
  last_fetched_at: string | null
  last_changed_at: string | null
}

export interface StateCounts {
  indexed: number
  skipped: number
  failed: number
  pending: number
}

export interface PageCountsBelow extends StateCounts {
  reasons: { status: PageStatus; reason: string; count: number }[]
  /** One level below the address. Folders end in a slash. */
  folders: (StateCounts & { url: string })[]
  folder_count: number
}

export interface PageDetail extends Omit<ListedPage, 'sections'> {
  http_status: number | null
  canonical: string | null
  redirects: string[]
  content_hash: string | null
  sections: { title: string; url: string; characters: number; embedded: boolean }[]
  /** Sources whose scope contains the address, each with the rule that decides. */
  sources: { uuid: string; name: string; verdict: 'taken' | 'excluded'; rule: string }[]
  linked_from: string[]
  events: SyncEvent[]
  explanation: string
}

export interface Recrawl {
  uuid: string
  url: string
  status: 'queued' | 'running' | 'indexed' | 'unchanged' | 'dropped'
  reason: string | null
  detail: string | null
  message: string | null
  finished_at: string | null
}

export interface ProjectStatus {
  slug: string
  name: string
  page_count: number
  last_sync: SyncRun | null
  failed_sources: { uuid: string; name: string; last_error: string }[]
  schedule: string | null
  next_sync_at: string | null
  /** The warning of the latest run. */
  removals_held: string | null
  embedding: EmbeddingProgress | null
}

export interface Status {
  version: string
  drivers: { port: string; driver: string; available: boolean }[]
  /** `extractive` without a language model. */
  model: string
  embedding_model: string | null
  project_count: number
  projects: ProjectStatus[]
}

export interface Team {
  uuid: string
  name: string
  subscription: { status: string; plan: string; page_limit: number | null }
  trial: { active: boolean; ends_at: string | null }
}

export type MemberRole = 'viewer' | 'editor' | 'maintainer' | 'administrator'

export interface Member {
  uuid: string
  name: string
  email: string
  role: MemberRole
  created_at: string
}

export interface Invitation {
  uuid: string
  email: string
  role: MemberRole
  created_at: string
  expires_at: string
}

export interface Key {
  uuid: string
  name: string
  permissions: Permission[]
  /** Slugs; null: all projects of the team. */
  projects: string[] | null
  member_uuid: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}

export type FindingKind = 'broken_link' | 'broken_anchor' | 'duplicate' | 'orphan' | 'thin'

export interface Finding {
  kind: FindingKind
  url: string
  title: string | null
  reason: string | null
  message: string
  /** Pages that link to a broken address, at most 20. */
  linked_from: string[]
}
