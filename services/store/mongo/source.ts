// Sources of a project.
import { Conflict } from '../../errors.ts'
import type { Source, SourceStore } from '../source.ts'
import { isDuplicate, type MongoDb } from './connection.ts'
import { type Journal, type JournalRow, toOpenProject } from './journal.ts'
import { openProject } from './project-row.ts'
import { fromStored, insertOnce, toStored } from './row.ts'
import { clearLeaving } from './source-leaving.ts'
import { type SourceRow, sourceRows } from './source-row.ts'

/** What `update` writes. */
function changeable(source: Source) {
  const { name, identity, options, include, exclude, maxPages, maxDepth, credentials, revision } = source
  return {
    name,
    identity,
    options,
    include,
    exclude,
    maxPages,
    maxDepth,
    credentials,
    revision,
  }
}

export function createSources(db: MongoDb, journal: Journal): SourceStore {
  const sources = sourceRows(db)
  const projects = db.collection<JournalRow>('projects')

  /** The project's sources that are there, oldest first; a deleted one is leaving before its row is gone. */
  async function all(project: string): Promise<Source[]> {
    const [row, rows] = await Promise.all([
      projects.findOne({ _id: project }),
      sources.find({ project }).sort({ createdAt: 1, _id: 1 }).toArray(),
    ])
    if (row?.state !== 'open') return []
    const { leaving } = toOpenProject(row)
    return rows.filter(({ _id }) => !leaving.includes(_id)).map((each) => fromStored<Source>(each))
  }

  return {
    insert: async (source) => {
      if (!(await openProject(db, source.project))) return
      await insertOnce(sources, toStored(source), 'url')
    },
    get: async (project, uuid) => (await all(project)).find((source) => source.uuid === uuid) ?? null,
    list: async (project, { offset, limit }) => {
      const rows = await all(project)
      return { count: rows.length, rows: rows.slice(offset, offset + limit) }
    },
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
      const row = await projects.findOne({ _id: project })
      if (row?.state !== 'open') return new Map()
      const { listed, leaving } = toOpenProject(row)
      return new Map(Object.entries(listed).filter(([uuid, n]) => n > 0 && !leaving.includes(uuid)))
    },
    update: async (source) => {
      const before = { _id: source.uuid, revision: source.revision - 1 }
      // Not every server tells of an update that it met the index.
      const { uuid, project, type, identity } = source
      const others = { _id: { $ne: uuid }, project, type, identity }
      if ((await sources.countDocuments(others)) > 0) throw new Conflict('url')
      try {
        return (await sources.updateOne(before, { $set: changeable(source) })).matchedCount > 0
      } catch (error) {
        throw isDuplicate(error) ? new Conflict('url') : error
      }
    },
    moved: async (uuid, resolvedUrl) => {
      await sources.updateOne({ _id: uuid }, { $set: { resolvedUrl } })
    },
    crawled: async (uuid, at, resolvedUrl, lastError) => {
      await sources.updateOne(
        { _id: uuid, lastCrawledAt: { $not: { $gt: at } } },
        { $set: { lastCrawledAt: at, resolvedUrl, state: 'ok', lastError } },
      )
    },
    failed: async (uuid, error) => {
      await sources.updateOne({ _id: uuid }, { $set: { state: 'failed', lastError: error } })
    },
    delete: async (project, uuid) => {
      const deleted = await journal.write(project, async ({ leaving }) => {
        const row: SourceRow | null = await sources.findOne({ _id: uuid })
        if (row?.project !== project) return { result: false }
        return {
          result: true,
          writes: [{ to: 'sources', erase: [uuid] }],
          project: { leaving: [...leaving, uuid] },
        }
      })
      // Told twice, it goes on with what the first time left undone.
      if (deleted !== null) await clearLeaving(db, journal, project)
      return deleted ?? false
    },
  }
}
