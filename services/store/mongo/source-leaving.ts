// What a deleted source leaves: it is out of every answer as soon as the project's document names it as leaving, and its
// pages are changed in pieces from then on, by whoever comes first.
import type { MongoDb } from './connection.ts'
import type { Journal, JournalRow, OpenProject } from './journal.ts'
import type { Write } from './journal-batch.ts'
import { removalWrites } from './page-removal.ts'
import { createPageTally, isVisible, type PageRow, pageRows, stayingSources } from './page-row.ts'

/** Pages that one batch changes. */
const chunkSize = 200

/** Takes the leaving sources out of the sets of the project's pages; pages that only they listed go. */
export async function clearLeaving(db: MongoDb, journal: Journal, project: string): Promise<void> {
  for (;;) {
    const left = await journal.write(project, async (open) => {
      const [leaver] = open.leaving
      if (leaver === undefined) return { result: false }
      const rows = await pageRows(db)
        .find({ project, state: 'current', sources: leaver })
        .limit(chunkSize)
        .toArray()
      return { result: true, ...(rows.length > 0 ? withoutSources(open, rows) : withoutLeaver(open, leaver)) }
    })
    if (!left) return
  }
}

function withoutSources(open: OpenProject, rows: PageRow[]) {
  const tally = createPageTally(open)
  const gone = rows.filter((row) => !isVisible(row, open.leaving))
  const stay = rows.flatMap((row) =>
    isVisible(row, open.leaving) ? [{ row, sources: stayingSources(row, open.leaving) }] : [],
  )
  for (const row of gone) tally.change(row.sources, null)
  for (const { row, sources } of stay) tally.change(row.sources, sources)
  const writes: Write[] = [
    ...removalWrites(open, gone),
    { to: 'pages', set: stay.map(({ row, sources }) => ({ _id: row._id, sources })) },
  ]
  return { writes, project: tally.fields() }
}

function withoutLeaver(open: OpenProject, leaver: string) {
  const { [leaver]: _, ...listed } = open.listed
  return { project: { leaving: open.leaving.filter((source) => source !== leaver), listed } }
}

/** The same in every project, where a killed process left it undone. */
export async function clearAllLeaving(db: MongoDb, journal: Journal): Promise<void> {
  const projects = db.collection<JournalRow>('projects')
  for (const { _id } of await projects
    .find({ state: 'open', 'leaving.0': { $exists: true } }, { projection: { _id: 1 } })
    .toArray())
    await clearLeaving(db, journal, _id)
}
