// The rows of pages and of versions that await removal from the index, and the visibility of pages.
import { type AddressRow, hidingWrites } from './address.ts'
import { type Journal, type ProjectState, toSet, type Write } from './journal.ts'
import type { Page, PageVersion } from './page.ts'
import type { Filter, Rows, Table } from './rows.ts'
import type { Source } from './source.ts'

export interface PageRow extends Page {
  /** Folder of the URL. */
  folder: string
  /** The uuid of the version's text. */
  body: string
}

export const pageTable: Table<PageRow> = {
  name: 'page',
  fields: `uuid project url folder sources:json pinned:flag version:int fetchedAt contentHash pipeline etag? lastModified? title
    language? docVersion? sourceType heldBy? body`,
  indexes: [
    ...['project uuid', 'project url', 'project contentHash', 'project language', 'project sources'],
    ...['project pinned uuid', 'project heldBy uuid'],
  ],
}

/** A version that awaits removal from the index. */
export interface SweptRow extends PageVersion {
  /** The page and the version. */
  uuid: string
  project: string
  /** Number of the batch, and the order within it. */
  batch: number
  place: number
}

export const sweptTable: Table<SweptRow> = {
  name: 'swept_version',
  fields: 'uuid project page version:int batch:int place:int',
  indexes: ['project batch place'],
}

export const sweptId = ({ page, version }: PageVersion): string => `${page} ${version}`

/** Maximum pages that a batch removes or changes. */
export const maxChanged = 200

/** The page's sources without deleted ones. */
export function remainingSources({ sources }: Pick<PageRow, 'sources'>, project: ProjectState): string[] {
  return sources.filter((source) => !project.deletedSources.includes(source))
}

/** Whether readers see the page. They do not if all sources that list it are deleted. */
export function isVisible(row: Pick<PageRow, 'sources' | 'pinned'>, project: ProjectState): boolean {
  return row.pinned || row.sources.length === 0 || remainingSources(row, project).length > 0
}

export function toPage({ folder, body, ...page }: PageRow, project: ProjectState): Page {
  return { ...page, sources: remainingSources(page, project) }
}

/** Queues the versions of the pages for the sweep. */
export function sweptRows(pages: PageRow[], { sequence }: ProjectState): SweptRow[] {
  return pages.map(({ uuid: page, project, version }, place) => {
    return { uuid: sweptId({ page, version }), project, page, version, batch: sequence + 1, place }
  })
}

interface PageTables {
  pages: Rows<PageRow>
  sources: Rows<Source>
  addresses: Rows<AddressRow>
}

export type PageRows = ReturnType<typeof createPageRows>

/** The pages of a project as other nouns read and remove them. */
export function createPageRows({ pages, sources, addresses }: PageTables, journal: Journal) {
  /** UUIDs of the project's existing sources. */
  async function sourcesIn({ uuid, deletedSources }: ProjectState): Promise<Set<string>> {
    const uuids = await sources.values({ project: uuid }, 'uuid')
    return new Set(uuids.filter((source) => !deletedSources.includes(source)))
  }

  /** Filter for the visible pages of a project. */
  async function visibleIn(project: ProjectState): Promise<Filter<PageRow>> {
    if (project.deletedSources.length === 0) return { project: project.uuid }
    const staying = { sources: { $has: [...(await sourcesIn(project))] } }
    return { project: project.uuid, $or: [{ pinned: true }, { sources: [] }, staying] }
  }

  /** Removes pages. Writes pages first, since swept versions must not be current. Deletes the texts last, since readers may read them. */
  async function removalWrites(rows: PageRow[], project: ProjectState): Promise<Write[]> {
    if (rows.length === 0) return []
    const uuids = rows.map(({ uuid }) => uuid)
    return [
      { to: pageTable, erase: uuids },
      { to: sweptTable, insert: sweptRows(rows, project) },
      { oldTexts: uuids },
      ...(await hidingWrites(addresses, project, rows)),
    ]
  }

  return {
    pages,
    addresses,
    sourcesIn,
    visibleIn,
    removalWrites,
    /** Visible pages of the project. */
    async visible(project: ProjectState, uuids: string[]): Promise<PageRow[]> {
      const rows = await pages.all({ uuid: { $in: uuids } })
      return rows.filter((row) => row.project === project.uuid && isVisible(row, project))
    },
    /** Those of the URLs that have a page, even one that only deleted sources list. */
    async indexedUrls(project: string, urls: string[]): Promise<string[]> {
      const rows = await pages.pick({ project, url: { $in: urls } }, ['url'])
      return rows.map(({ url }) => url)
    },
    /** Number of current pages by source, without sources that have none. */
    async countBySource(uuid: string): Promise<Map<string, number>> {
      const project = await journal.project(uuid)
      const counts = new Map<string, number>()
      for (const { value, count } of project ? await pages.tally({ project: uuid }, 'sources') : [])
        for (const source of remainingSources({ sources: value }, project!))
          counts.set(source, (counts.get(source) ?? 0) + count)
      return counts
    },
    /** Removes deleted sources from the project's pages. Removes pages that no other source lists. */
    async clearDeletedSources(uuid: string): Promise<void> {
      // The progress of this call. Another call may complete the source meanwhile, so it is valid only for one source.
      let done = { source: '', after: '' }
      for (; ; await journal.pause()) {
        const next = await journal.write<typeof done | null>(uuid, async (project) => {
          const [source, ...others] = project.deletedSources
          if (source === undefined) return { result: null }
          const after = source === done.source ? done.after : ''
          const listed = { project: uuid, uuid: { $gt: after }, sources: { $has: [source] } }
          const rows = await pages.all(listed, 'uuid', { limit: maxChanged })
          if (rows.length === 0) return { result: done, project: { deletedSources: others } }
          const gone = rows.filter((row) => !isVisible(row, project))
          const staying = rows.filter((row) => isVisible(row, project))
          const changed = staying.map((row) => ({ uuid: row.uuid, sources: remainingSources(row, project) }))
          const writes = [...(await removalWrites(gone, project)), ...toSet(pageTable, changed)]
          return { result: { source, after: rows.at(-1)!.uuid }, writes }
        })
        if (next === null) return
        done = next
      }
    },
  }
}
