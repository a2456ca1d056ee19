// Projects, and the vocabulary of each.
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
  /** Grows by one with every change of the fields above. */
  revision: number
  /** Time of the first page that was published; null: never indexed. Set by the page store. */
  indexedAt: string | null
}

export interface ProjectStore {
  /** Conflict (`slug`) where another project, of any team, has the slug. */
  insert(project: Project): Promise<void>
  bySlug(slug: string): Promise<Project | null>
  byUuid(uuid: string): Promise<Project | null>
  /** Slugs by uuid, of those projects that are there. */
  slugs(uuids: string[]): Promise<Map<string, string>>
  /** By slug. `only`: uuids that a scoped key may see, null for all. */
  list(team: string, only: string[] | null, page: PageRequest): Promise<Paged<Project>>
  /** Every project of every team, by uuid. */
  all(): Promise<Project[]>
  /** Writes name, isPrivate, whitelabel, allowedDomains, config and updatedAt. */
  update(project: Project): Promise<boolean>
  /** With everything in it: sources, runs, pages, recrawls, chats, events. */
  delete(uuid: string): Promise<boolean>
}

/** The terms of a project's pages, for prefixes and corrections: derived data, written whole. */
export interface VocabularyStore {
  /** Grows with every write; 0 where there is none. */
  version(project: string): Promise<number>
  read(project: string): Promise<{ version: number; terms: Uint8Array } | null>
  /** Answers the new version; 0 when the project is gone. */
  write(project: string, terms: Uint8Array): Promise<number>
}
