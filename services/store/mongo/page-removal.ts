// Holding the removal of pages back, and taking pages out, at the end of a run or by a recrawl.
import type { PageStore } from '../page.ts'
import { inChunks } from './chunks.ts'
import type { MongoDb } from './connection.ts'
import { type Journal, mayWrite, type OpenProject } from './journal.ts'
import type { Write } from './journal-batch.ts'
import { createPageTally, isVisible, type PageRow, pageRows } from './page-row.ts'
import { sweptRows } from './page-sweep.ts'
import { readRun } from './run-row.ts'

/** Pages that one batch marks. */
const heldAtOnce = 500
/** Pages that one batch takes out. */
const removedAtOnce = 200

/** What takes pages out, in the order of publish.ts: page, sweep, text. */
export function removalWrites(project: OpenProject, rows: PageRow[]): Write[] {
  return [
    {
      to: 'pages',
      set: rows.map(({ _id }) => ({ _id, state: 'gone', body: null, heldBy: null, pinned: false })),
    },
    { to: 'swept_versions', insert: sweptRows(project.uuid, rows) },
    { to: 'page_bodies', erase: rows.flatMap((row) => row.body ?? []) },
  ]
}

export function createRemoval(db: MongoDb, journal: Journal): Pick<PageStore, 'hold' | 'remove'> {
  return {
    hold: async (uuid, fence, run, uuids) => {
      const wanted = new Set(uuids)
      const held = await pageRows(db)
        .find({ project: uuid, heldBy: { $ne: null } }, { projection: { heldBy: 1 } })
        .toArray()
      const others = held.flatMap((row) => (wanted.has(row._id) ? [] : [row._id]))

      const mark = (by: string | null) => async (chunk: string[]) =>
        (await journal.write(uuid, async (project) => {
          if (!mayWrite(project, fence)) return { result: false }
          const rows = await pageRows(db)
            .find({ _id: { $in: chunk }, project: uuid, state: 'current' })
            .toArray()
          const set = rows.flatMap(({ _id, heldBy }) => (heldBy === by ? [] : [{ _id, heldBy: by }]))
          return set.length === 0 ? { result: true } : { result: true, writes: [{ to: 'pages', set }] }
        })) ?? false
      await inChunks(others, heldAtOnce, mark(null))
      await inChunks(uuids, heldAtOnce, mark(run))
    },
    remove: async (uuid, fence, uuids) => {
      let removed = 0
      await inChunks(uuids, removedAtOnce, async (chunk) => {
        const gone = await journal.write(uuid, async (project) => {
          if (!mayWrite(project, fence)) return { result: null }
          const found = await pageRows(db)
            .find({ _id: { $in: chunk }, project: uuid, state: 'current' })
            .toArray()
          const rows = found.filter((row) => isVisible(row, project.leaving))
          if (rows.length === 0) return { result: 0 }
          const tally = createPageTally(project)
          for (const row of rows) tally.change(row.sources, null)
          const run = fence === null ? null : await readRun(db, project.liveRun)
          const counted = run && {
            _id: run._id,
            pages: { ...run.pages, removed: run.pages.removed + rows.length },
          }
          return {
            result: rows.length,
            writes: [
              ...removalWrites(project, rows),
              ...(counted === null ? [] : [{ to: 'runs', set: [counted] }]),
            ],
            project: tally.fields(),
          }
        })
        removed += gone ?? 0
        return gone !== null
      })
      return removed
    },
  }
}
