// The sources of each page as a run at its end leaves them.
import type { PageStore } from '../page.ts'
import { chunked } from './chunks.ts'
import type { MongoDb } from './connection.ts'
import { type FrontierRow, readFrontier } from './frontier-row.ts'
import type { Journal, OpenProject } from './journal.ts'
import { createPageTally, type PageRow, pageRows, stayingSources } from './page-row.ts'
import type { LiveRuns } from './run-row.ts'
import { sourcesThere } from './source-row.ts'

/** Pages that one batch assigns. */
const chunkSize = 500

interface Assignment {
  /** Sources whose set of pages is what the run found. */
  readable: Set<string>
  /** Sources that could not be read. */
  unreadable: Set<string>
}

/**
 * The sources that the page belongs to from now on.
 *
 *   of [s1, s2], found by s2 and s3, s1 unreadable → s1 (as it was), s2, s3
 */
function assign(page: PageRow, row: FrontierRow | undefined, { readable, unreadable }: Assignment): string[] {
  const stays = page.sources.filter((source) => unreadable.has(source))
  const found = (row?.sources ?? []).filter(
    (source) => readable.has(source) && !row?.declined.includes(source),
  )
  return [...new Set([...stays, ...found])].toSorted()
}

const same = (a: string[], b: string[]): boolean => a.toSorted().join(' ') === b.join(' ')

export function createAssignment(
  db: MongoDb,
  journal: Journal,
  live: LiveRuns,
): Pick<PageStore, 'assignSources'> {
  /** The batch that assigns the sources of these pages; its result is whether the run is still live. */
  async function assignment(project: OpenProject, run: string, uuids: string[], unreadableSources: string[]) {
    const sources = await sourcesThere(db, project)
    const unreadable = new Set(unreadableSources)
    const readable = new Set([...sources].filter((source) => !unreadable.has(source)))
    const found = await pageRows(db)
      .find({ _id: { $in: uuids }, project: project.uuid, state: 'current' })
      .toArray()
    const rows = found.filter((row) => row.heldBy !== run)
    const known = await readFrontier(
      db,
      run,
      rows.map((row) => row.url),
    )
    const tally = createPageTally(project)
    const set = rows.flatMap((row) => {
      const after = assign(row, known.get(row.url), { readable, unreadable })
      if (same(stayingSources(row, project.leaving), after)) return []
      tally.change(row.sources, after)
      return [{ _id: row._id, sources: after }]
    })
    return set.length === 0
      ? { result: true }
      : { result: true, writes: [{ to: 'pages', set }], project: tally.fields() }
  }

  return {
    assignSources: async (uuid, fence, unreadable) => {
      const project = await live.projectOfLive(uuid)
      if (project?.fence !== fence) return
      const pages = pageRows(db)
        .find({ project: project.uuid, state: 'current' }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
      for await (const rows of chunked(pages, chunkSize)) {
        const goesOn = await journal.write(project.uuid, async (open) =>
          open.liveRun === uuid && open.fence === fence
            ? assignment(
                open,
                uuid,
                rows.map((row) => row._id),
                unreadable,
              )
            : { result: false },
        )
        if (!goesOn) return
      }
    },
  }
}
