// Versions that no reader sees any more, until their units are out of the index.
import type { PageStore } from '../page.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { Journal } from './journal.ts'
import { type PageRow, pageRows } from './page-row.ts'

interface SweptRow extends MongoRow {
  project: string
  page: string
  version: number
  /** Place in its batch; `seq` orders batches. */
  place: number
  seq: number
}

const idOf = (page: string, version: number): string => `${page} ${version}`

/** Rows for the versions that the pages had. */
export function sweptRows(project: string, pages: PageRow[]): MongoRow[] {
  return pages.map(({ _id, version }, place) => ({
    _id: idOf(_id, version),
    project,
    page: _id,
    version,
    place,
  }))
}

export function createSweep(db: MongoDb, journal: Journal): Pick<PageStore, 'swept' | 'forget'> {
  const queue = db.collection<SweptRow>('swept_versions')
  return {
    swept: async (project, limit) => {
      if ((await journal.settled(project)) === null) return []
      const rows = await queue.find({ project }).sort({ seq: 1, place: 1 }).limit(limit).toArray()
      return rows.map(({ page, version }) => ({ page, version }))
    },
    /** With the last version of a page that was removed goes what is left of the page. */
    forget: async (project, versions) => {
      const ids = versions.map(({ page, version }) => idOf(page, version))
      await journal.write(project, async () => {
        const rows = await queue.find({ _id: { $in: ids }, project }).toArray()
        if (rows.length === 0) return { result: undefined }
        const gone = await pageRows(db)
          .find({ _id: { $in: rows.map((row) => row.page) }, project, state: 'gone' })
          .toArray()
        return {
          result: undefined,
          writes: [
            { to: 'swept_versions', erase: rows.map((row) => row._id) },
            { to: 'pages', drop: gone.flatMap(({ _id, seq }) => (seq > 0 ? [{ _id, seq }] : [])) },
          ],
        }
      })
    },
  }
}
