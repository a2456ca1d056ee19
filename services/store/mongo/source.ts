// Sources of a project. Adding a source to `deletedSources` hides it atomically. This process or a cleanup then updates its pages.
import type { Filter } from 'mongodb'
import { Conflict } from '../../errors.ts'
import type { Source, SourceStore } from '../source.ts'
import { removedAddresses } from './address.ts'
import { isDuplicate, type MongoDb } from './connection.ts'
import { isOpen, type Journal, type ProjectRow, readProject, type Write } from './journal.ts'
import { isVisible, type PageRow, pageRows, remainingSources, removalWrites } from './page-row.ts'
import { createRows, oldestFirst, type Stored, toStored } from './row.ts'

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

export function createSources(db: MongoDb, journal: Journal): SourceStore {
  const { documents: sources, ...rows } = createRows<Source>(db, 'sources')

  async function all(uuid: string): Promise<Source[]> {
    const [project, all] = await Promise.all([
      readProject(db, uuid),
      rows.all({ project: uuid }, oldestFirst),
    ])
    return project === null ? [] : all.filter((source) => !project.deletedSources.includes(source.uuid))
  }

  return {
    insert: async (source) => {
      if (await isOpen(db, source.project)) await rows.insertUnique(toStored(source), 'url')
    },
    get: async (project, uuid) => (await all(project)).find((source) => source.uuid === uuid) ?? null,
    all,
    uploadedSize: async (team) => {
      const [sum] = await sources
        .aggregate<{ size: number }>([
          { $match: { team, 'options.blob': { $exists: true } } },
          { $group: { _id: null, size: { $sum: '$options.size' } } },
        ])
        .toArray()
      return sum?.size ?? 0
    },
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
    update: async (source) => {
      const { uuid, project, type, name, identity, options, include, exclude } = source
      const { maxPages, maxDepth, credentials, revision } = source
      // Not every server reports that an update violates the index.
      const others = { _id: { $ne: uuid }, project, type, identity }
      if ((await sources.countDocuments(others)) > 0) throw new Conflict('url')
      const change = { name, identity, options, include, exclude, maxPages, maxDepth, credentials, revision }
      try {
        const before = { _id: uuid, revision: revision - 1 }
        return (await sources.updateOne(before, { $set: change })).matchedCount > 0
      } catch (error) {
        throw isDuplicate(error) ? new Conflict('url') : error
      }
    },
    moved: async (uuid, resolvedUrl) =>
      void (await sources.updateOne({ _id: uuid }, { $set: { resolvedUrl } })),
    crawled: async (uuid, at, resolvedUrl, lastError) => {
      await sources.updateOne(
        { _id: uuid, lastCrawledAt: { $not: { $gt: at } } },
        { $set: { lastCrawledAt: at, resolvedUrl, state: 'ok', lastError } },
      )
    },
    failed: async (uuid, lastError) =>
      void (await sources.updateOne({ _id: uuid }, { $set: { state: 'failed', lastError } })),
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
