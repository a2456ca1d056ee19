// A page as it lies in its collection, and what a change of pages does to the project's counters.
import type { Page } from '../page.ts'
import type { MongoDb } from './connection.ts'
import type { JournalFields, OpenProject } from './journal.ts'
import type { Stored } from './row.ts'

export interface PageRow extends Stored<Page> {
  /** `gone`: removed, or a draft that is not published yet. */
  state: 'current' | 'gone'
  /** `_id` of the text of its version. */
  body: string | null
  seq: number
}

export const pageRows = (db: MongoDb) => db.collection<PageRow>('pages')

/** The page's sources without those that are being deleted. */
export function stayingSources(row: PageRow, leaving: string[]): string[] {
  return leaving.length === 0 ? row.sources : row.sources.filter((source) => !leaving.includes(source))
}

/** Whether readers see the page: it is not when all that listed it is being deleted. */
export function isVisible(row: PageRow, leaving: string[]): boolean {
  return (
    row.state === 'current' &&
    (row.pinned || row.sources.length === 0 || stayingSources(row, leaving).length > 0)
  )
}

export function toPage(row: PageRow, leaving: string[]): Page {
  return {
    uuid: row._id,
    team: row.team,
    project: row.project,
    url: row.url,
    sources: stayingSources(row, leaving).toSorted(),
    pinned: row.pinned,
    version: row.version,
    fetchedAt: row.fetchedAt,
    contentHash: row.contentHash,
    pipeline: row.pipeline,
    etag: row.etag,
    lastModified: row.lastModified,
    title: row.title,
    language: row.language,
    docVersion: row.docVersion,
    sourceType: row.sourceType,
    heldBy: row.heldBy,
  }
}

export interface PageTally {
  /** Notes what becomes of a page; null: it is not there. */
  change(before: string[] | null, after: string[] | null): void
  /** The counters of the project after all changes. */
  fields(): Pick<JournalFields, 'pageCount' | 'listed'>
}

/** Counts pages, and those of each source, from what the project's document says. */
export function createPageTally(project: OpenProject): PageTally {
  let pageCount = project.pageCount
  const listed = { ...project.listed }
  function add(sources: string[], change: number) {
    for (const source of sources) listed[source] = (listed[source] ?? 0) + change
  }
  return {
    change: (before, after) => {
      pageCount += Number(after !== null) - Number(before !== null)
      add(before ?? [], -1)
      add(after ?? [], 1)
    },
    fields: () => ({ pageCount, listed }),
  }
}
