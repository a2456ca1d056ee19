// Sources of a project. Adding a source to `deletedSources` hides it atomically. This process or a cleanup then updates its pages.
import type { Filter } from 'mongodb'
import type { Source, SourcePages } from '../source.ts'
import { removedAddresses } from './address.ts'
import type { MongoDb } from './connection.ts'
import { type Journal, type ProjectRow, readProject, type Write } from './journal.ts'
import { isVisible, type PageRow, pageRows, remainingSources, removalWrites } from './page-row.ts'
import type { Stored } from './row.ts'

export const sourceRows = (db: MongoDb) => db.collection<Stored<Source>>('sources')

/** UUIDs of the project's existing sources. */
export async function sourcesThere(db: MongoDb, { _id, deletedSources }: ProjectRow): Promise<Set<string>> {
  const rows = await sourceRows(db)
    .find(
      { project: _id, ...(deletedSources.length > 0 && { _id: { $nin: deletedSources } }) },
      { projection: { _id: 1 } },
    )
    .toArray()
  return new Set(rows.map((row) => row._id))
}

/** Filter for the visible pages of a project. */
export async function visibleIn(db: MongoDb, project: ProjectRow): Promise<Filter<PageRow>> {
  const current = { project: project._id, state: 'current' } as const
  if (project.deletedSources.length === 0) return current
  const staying = [...(await sourcesThere(db, project))]
  return { ...current, $or: [{ pinned: true }, { sources: [] }, { sources: { $in: staying } }] }
}

/** Pages changed per batch. */
const chunkSize = 200

/** Removes deleted sources from the project's pages. Removes pages that no other source lists. */
export async function clearDeletedSources(db: MongoDb, journal: Journal, project: string): Promise<void> {
  for (;;) {
    const isMore = await journal.write(project, async (open) => {
      const [source, ...others] = open.deletedSources
      if (source === undefined) return { result: false }
      const rows = await pageRows(db)
        .find({ project, state: 'current', sources: source })
        .limit(chunkSize)
        .toArray()
      if (rows.length > 0) return { result: true, writes: await withoutDeletedSources(db, rows, open) }
      return { result: true, project: { deletedSources: others } }
    })
    if (!isMore) return
  }
}

async function withoutDeletedSources(db: MongoDb, rows: PageRow[], project: ProjectRow): Promise<Write[]> {
  const gone = rows.filter((row) => !isVisible(row, project))
  const stay = rows.filter((row) => isVisible(row, project))
  return [
    ...removalWrites(gone),
    ...(await removedAddresses(db, project, gone)),
    { to: 'pages', set: stay.map((row) => ({ _id: row._id, sources: remainingSources(row, project) })) },
  ]
}

export function createSourcePages(db: MongoDb, journal: Journal): SourcePages {
  const sources = sourceRows(db)
  return {
    pageCounts: async (project) => {
      const row = await readProject(db, project)
      if (row === null) return new Map()
      const counts = await pageRows(db)
        .aggregate<{ _id: string; count: number }>([
          { $match: { project, state: 'current' } },
          { $unwind: '$sources' },
          { $group: { _id: '$sources', count: { $sum: 1 } } },
        ])
        .toArray()
      return new Map(
        counts.flatMap(({ _id, count }) => (row.deletedSources.includes(_id) ? [] : [[_id, count]])),
      )
    },
    delete: async (project, uuid) => {
      const deleted = await journal.write(project, async ({ deletedSources }) => {
        if ((await sources.findOne({ _id: uuid, project })) === null) return { result: false }
        return {
          result: true,
          writes: [{ to: 'sources', erase: [uuid] }],
          project: { deletedSources: [...deletedSources, uuid] },
        }
      })
      // Also completes an interrupted call.
      if (deleted !== null) await clearDeletedSources(db, journal, project)
      return deleted ?? false
    },
  }
}
