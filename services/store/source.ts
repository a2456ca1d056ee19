// Sources of a project.
import type { SourceOptions, SourceTypeName } from '../../sources/source-type.ts'
import { Conflict } from '../errors.ts'
import type { Journal } from './journal.ts'
import { oldestFirst, type Rows, type Table, update } from './rows.ts'

export interface Source {
  uuid: string
  team: string
  project: string
  type: SourceTypeName
  name: string
  /** Empty if the source has no URL. */
  url: string
  /** Unique among the project's sources of the type; usually the URL. */
  identity: string
  include: string[]
  exclude: string[]
  maxPages: number | null
  maxDepth: number | null
  /** Target of the start address's redirect in the last run. Used for the scope of a `site`. */
  resolvedUrl: string | null
  /** Fields specific to the type. */
  options: SourceOptions
  /** Encrypted; null if there are none. */
  credentials: string | null
  createdAt: string
  lastCrawledAt: string | null
  /** Result of the last run; `pending` before the first. */
  state: 'pending' | 'ok' | 'failed'
  /** Why the last run could not read all of the source; null if it could. */
  lastError: string | null
  revision: number
}

export const sourceTable: Table<Source> = {
  name: 'source',
  fields: `uuid team project type name url identity include:json exclude:json maxPages:int? maxDepth:int? resolvedUrl? options:json
   credentials? createdAt lastCrawledAt? state lastError? revision:int`,
  isOfProject: true,
  unique: { fields: 'project type identity', conflict: 'url' },
  indexes: ['project createdAt uuid'],
}

interface SourcePages {
  countBySource(project: string): Promise<Map<string, number>>
  /** Removes deleted sources from the pages of a project. */
  clearDeletedSources(project: string): Promise<void>
}

export type SourceStore = ReturnType<typeof createSources>

export function createSources(sources: Rows<Source>, pages: SourcePages, journal: Journal) {
  return {
    /** Number of current pages by source, without sources that have none. */
    pageCounts: pages.countBySource,
    /**
     * Deletes the source, and removes it from its pages. Removes pages without other sources unless they are pinned, and queues
     * their units for the sweep. Adding it to `deletedSources` hides it atomically.
     */
    delete: async (project: string, uuid: string): Promise<boolean> => {
      const deleted = await journal.write(project, async ({ deletedSources }) => {
        if ((await sources.one({ uuid, project })) === null) return { result: false }
        const writes = [{ to: sourceTable, erase: [uuid] }]
        return { result: true, writes, project: { deletedSources: [...deletedSources, uuid] } }
      })
      // Also completes an interrupted call.
      if (deleted !== null) await pages.clearDeletedSources(project)
      return deleted ?? false
    },
    /** Rejects with Conflict(`url`) if the project has another source of the type with the same identity. */
    insert: async (source: Source) => void (await sources.insert(source)),
    get: async (project: string, uuid: string) => sources.one({ uuid, project }),
    /** All sources of a project, oldest first. */
    all: async (project: string) => sources.all({ project }, oldestFirst),
    /** Total bytes of the uploads of a team's sources. */
    uploadedSize: async (team: string) => {
      const uploads = (await sources.all({ team }, 'uuid')).filter(({ options }) => options.blob)
      return uploads.reduce((sum, { options }) => sum + (options.size ?? 0), 0)
    },
    /** Writes name, include, exclude, maxPages, maxDepth, identity, options and credentials. Rejects like `insert`. */
    update: async (source: Source) => {
      const { uuid, project, type, identity } = source
      // Not every server reports that an update violates the index.
      const same = await sources.one({ project, type, identity })
      if (same !== null && same.uuid !== uuid) throw new Conflict('url')
      const filters = ['include', 'exclude', 'maxPages', 'maxDepth'] as const
      return update(sources, source, ['name', 'identity', 'options', 'credentials', ...filters])
    },
    /** Records the target of the start address during a crawl. Does not change lastCrawledAt. */
    moved: async (uuid: string, resolvedUrl: string) => void (await sources.set({ uuid }, { resolvedUrl })),
    /** Records a successful crawl, unless a later one is recorded. Does not change the revision. `lastError`: parts not read. */
    crawled: async (uuid: string, at: string, resolvedUrl: string | null, lastError: string | null) => {
      const isLatest = { uuid, lastCrawledAt: { $not: { $gt: at } } }
      await sources.set(isLatest, { lastCrawledAt: at, resolvedUrl, state: 'ok', lastError })
    },
    /** Sets the state to `failed` and lastError. Does not change lastCrawledAt. */
    failed: async (uuid: string, lastError: string) =>
      void (await sources.set({ uuid }, { state: 'failed', lastError })),
  }
}
