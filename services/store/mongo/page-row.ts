// A page as it lies in its collection, and the versions that no reader sees until their units are out of the index.
import type { Page } from '../page.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { ProjectRow, Write } from './journal.ts'
import type { Stored } from './row.ts'

export interface PageRow extends Stored<Page> {
  /** Of its URL. */
  folder: string
  /** A removed page stays as a tombstone, so that an old batch that is applied late does not bring it back. */
  state: 'current' | 'gone'
  /** Milliseconds since 1970. */
  goneAt?: number
  /** `_id` of the text of its version. */
  body: string | null
  seq: number
}

export const pageRows = (db: MongoDb) => db.collection<PageRow>('pages')

/** The page's sources without deleted ones. */
export function remainingSources({ sources }: Pick<PageRow, 'sources'>, project: ProjectRow): string[] {
  return sources.filter((source) => !project.deletedSources.includes(source))
}

/** Whether readers see the page: not when all sources that list it are deleted. */
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
  /** Place in its batch; `seq` orders batches. */
  place: number
  seq: number
}

/** Queues the versions that the pages had for the sweep. */
export function sweptRows(pages: PageRow[]): MongoRow[] {
  return pages.map(({ _id, project, version }, place) => {
    return { _id: sweptId(_id, version), project, page: _id, version, place }
  })
}

export const sweptId = (page: string, version: number): string => `${page} ${version}`

/** Takes pages out. Pages first: what is swept must not be current any more; the text that readers may still read goes last. */
export function removalWrites(rows: PageRow[]): Write[] {
  const tombstone = { state: 'gone', goneAt: Date.now(), body: null, heldBy: null, pinned: false }
  return [
    { to: 'pages', set: rows.map(({ _id }) => ({ _id, ...tombstone })) },
    { to: 'swept_versions', insert: sweptRows(rows) },
    { oldBodies: rows.map(({ _id }) => _id) },
  ]
}
