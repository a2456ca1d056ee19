// Projects and their vocabularies.
import type { PageRequest } from './paging.ts'
import { type Rows, type Table, update } from './rows.ts'

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

export const projectTable: Table<Project> = {
  name: 'project',
  fields: `uuid team slug name isPrivate:flag whitelabel:flag allowedDomains:json config:json createdAt updatedAt revision:int
    indexedAt?`,
  unique: { fields: 'slug', conflict: 'slug' },
  indexes: ['team slug'],
}

export type ProjectStore = ReturnType<typeof createProjects>

/** `remove` deletes the project with one write, and its data soon after. */
export function createProjects(projects: Rows<Project>, remove: (uuid: string) => Promise<boolean>) {
  return {
    /** Rejects with Conflict(`slug`) if another project of any team has the slug. */
    insert: async (project: Project) => void (await projects.insert(project)),
    bySlug: async (slug: string) => projects.one({ slug }),
    byUuid: async (uuid: string) => projects.one({ uuid }),
    /** Slugs by uuid, without missing projects. */
    slugs: async (uuids: string[]) => {
      const found = await projects.all({ uuid: { $in: uuids } }, 'uuid')
      return new Map(found.map(({ uuid, slug }) => [uuid, slug]))
    },
    /** Lists projects by slug. `only`: restricts the list to these uuids; null: all. */
    list: async (team: string, only: string[] | null, page: PageRequest) =>
      projects.page({ team, ...(only && { uuid: { $in: only } }) }, 'slug', page),
    /** All projects of all teams, sorted by uuid. */
    all: async () => projects.all({}, 'uuid'),
    /** Writes name, isPrivate, whitelabel, allowedDomains, config and updatedAt. */
    update: async (project: Project) =>
      update(projects, project, ['name', 'isPrivate', 'whitelabel', 'allowedDomains', 'config', 'updatedAt']),
    /** Deletes the project and all its data: sources, runs, pages, recrawls, chats, events. */
    delete: remove,
  }
}

/** The terms of a project's pages, for completion and correction. Derived data. */
interface Vocabulary {
  /** That of the project. */
  uuid: string
  project: string
  version: number
  terms: Uint8Array
}

/** Terms are compressed: some three million fit into a document of MongoDB, 16 MB. */
export const vocabularyTable: Table<Vocabulary> = {
  name: 'term_list',
  fields: 'uuid project version:int terms:bytes',
  isOfProject: true,
  indexes: ['project'],
}

export type VocabularyStore = ReturnType<typeof createVocabulary>

export function createVocabulary(vocabularies: Rows<Vocabulary>) {
  const versions = async (project: string) => vocabularies.values({ project }, 'version')
  return {
    /** Increases with every write; 0 if there is none. */
    version: async (project: string) => (await versions(project))[0] ?? 0,
    async read(project: string): Promise<Pick<Vocabulary, 'version' | 'terms'> | null> {
      const row = await vocabularies.one({ project })
      return row && { version: row.version, terms: Uint8Array.from(row.terms) }
    },
    /** Returns the new version; 0 if the project is deleted. */
    async write(project: string, terms: Uint8Array): Promise<number> {
      // Repeated if another call writes meanwhile.
      for (;;) {
        const [version] = await versions(project)
        if (version === undefined) {
          if (await vocabularies.insert({ uuid: project, project, version: 1, terms })) return 1
          if ((await versions(project)).length === 0) return 0
        } else if (
          await vocabularies.set({ uuid: project, project, version }, { version: version + 1, terms })
        )
          return version + 1
      }
    },
  }
}
