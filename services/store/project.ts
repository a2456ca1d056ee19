// Projects and their vocabularies.
import type { Paged, PageRequest } from './paging.ts'

export interface SearchFilter {
  title: string
  url: string
  position: number
}

interface ChatAction {
  name: string
  buttonText: string
  url: string
}

export interface ProjectConfig {
  chat: {
    initialMessage: string | null
    suggestedQuestions: string[]
    thinkMode: boolean
    actions: ChatAction[]
  }
  search: { filters: SearchFilter[] }
  mcp: { enabled: boolean; serverName: string | null; metadataTag: string | null }
  prompt: { useDefault: boolean; version: string; extend: string | null }
  sync: { schedule: string | null }
  retentionDays: number | null
}

export interface Project {
  uuid: string
  team: string
  slug: string
  name: string
  isPrivate: boolean
  whitelabel: boolean
  allowedDomains: string[]
  config: ProjectConfig
  createdAt: string
  updatedAt: string
  /** Incremented by each change of the fields above. */
  revision: number
  /** fetchedAt of the first published page; null: never indexed. Set by the page store. */
  indexedAt: string | null
}

export interface ProjectStore {
  /** Rejects with Conflict(`slug`) if another project of any team has the slug. */
  insert(project: Project): Promise<void>
  bySlug(slug: string): Promise<Project | null>
  byUuid(uuid: string): Promise<Project | null>
  /** Slugs by uuid, without missing projects. */
  slugs(uuids: string[]): Promise<Map<string, string>>
  /** Lists projects by slug. `only`: restricts the list to these uuids; null: all. */
  list(team: string, only: string[] | null, page: PageRequest): Promise<Paged<Project>>
  /** All projects of all teams, sorted by uuid. */
  all(): Promise<Project[]>
  /** Writes name, isPrivate, whitelabel, allowedDomains, config and updatedAt. */
  update(project: Project): Promise<boolean>
  /** Deletes the project and all its data: sources, runs, pages, recrawls, chats, events. */
  delete(uuid: string): Promise<boolean>
}

/** The terms of a project's pages, for completion and correction. Derived data. */
export interface VocabularyStore {
  /** Increases with every write; 0 if there is none. */
  version(project: string): Promise<number>
  read(project: string): Promise<{ version: number; terms: Uint8Array } | null>
  /** Returns the new version; 0 if the project is deleted. */
  write(project: string, terms: Uint8Array): Promise<number>
}
