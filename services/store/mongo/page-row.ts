// The document of a page, and of versions that await removal from the index.
import type { Page } from '../page.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { ProjectRow, Write } from './journal.ts'
import type { Stored } from './row.ts'

export interface PageRow extends Stored<Page> {
  /** Folder of the URL. */
  folder: string
  /** A removed page stays as a tombstone, so that a batch that is applied late does not restore it. */
  state: 'current' | 'gone'
  /** Milliseconds since 1970. */
  goneAt?: number
  /** `_id` of the version's text. */
  body: string | null
  seq: number
}

export const pageRows = (db: MongoDb) => db.collection<PageRow>('pages')

/** The page's sources without deleted ones. */
export function remainingSources({ sources }: Pick<PageRow, 'sources'>, project: ProjectRow): string[] {
  return sources.filter((source) => !project.deletedSources.includes(source))
}

/** Whether readers see the page. They do not if all sources that list it are deleted. */
export function isVisible(row: PageRow, project: ProjectRow): boolean {
  return (
    row.state === 'current' &&
    (row.pinned || row.sources.length === 0 || remainingSources(row, project).length > 0)
  )
}

export function toPage(
  { _id, folder, state, goneAt, body, seq, ...row }: PageRow,
  project: ProjectRow,
): Page {
  return { uuid: _id, ...row, sources: remainingSources(row, project) }
}

export interface SweptRow extends MongoRow {
  project: string
  page: string
  version: number
  /** Order within the batch. `seq` orders batches. */
  place: number
  seq: number
}

/** Queues the versions of the pages for the sweep. */
export function sweptRows(pages: PageRow[]): MongoRow[] {
  return pages.map(({ _id, project, version }, place) => {
    return { _id: sweptId(_id, version), project, page: _id, version, place }
  })
}

export const sweptId = (page: string, version: number): string => `${page} ${version}`

/** Removes pages. Writes pages first, since swept versions must not be current. Deletes the texts last, since readers may read them. */
export function removalWrites(rows: PageRow[]): Write[] {
  const tombstone = { state: 'gone', goneAt: Date.now(), body: null, heldBy: null, pinned: false }
  return [
    { to: 'pages', set: rows.map(({ _id }) => ({ _id, ...tombstone })) },
    { to: 'swept_versions', insert: sweptRows(rows) },
    { oldBodies: rows.map(({ _id }) => _id) },
  ]
}
