// Analytics of a day with a million clicks, each on a different address: the time of a read at the REST port, and the
// memory that it adds to the process.
import type { Project } from '../../services/store/project.ts'
import type { Store } from '../../services/store/store.ts'
import type { BenchOptions } from './bench-options.ts'
import { openFilledLectern } from './lectern.ts'
import { readResident } from './memory.ts'
import { type Table, toTarget } from './report.ts'
import { median } from './statistics.ts'

const day = '2026-01-02'
const clicks = 1_000_000
const atOnce = 1_000

export async function measureClicks({ rounds }: BenchOptions): Promise<Table[]> {
  const { lectern, slug } = await openFilledLectern(fill)
  try {
    const read = async (date: string) => {
      const start = performance.now()
      const path = `/api/v2/projects/${slug}/analytics/search/?start_date=${date}&end_date=${date}`
      const { status, body } = await lectern.call('GET', path)
      if (status !== 200) throw new Error(`${path}: ${status}`)
      return { ms: performance.now() - start, clicks: body.totals.clicks as number }
    }
    // Excludes the cost of any first call.
    await read('2026-01-01')
    const before = await readResident(lectern)
    const first = await read(day)
    const times: number[] = []
    for (let round = 0; round < Math.max(rounds, 5); round++) times.push((await read(day)).ms)
    const added = (await readResident(lectern)) - before
    const row = { clicks: first.clicks, 'first ms': first.ms, 'median ms': median(times), 'MB added': added }
    return [
      { title: 'A day of clicks, each on another address', rows: [row] },
      {
        title: 'Clicks: targets',
        rows: [
          toTarget('first reading, ms', first.ms, '≤', 50),
          toTarget('median, ms', row['median ms'], '≤', 50),
          toTarget('MB added', added, '≤', 50),
        ],
      },
    ]
  } finally {
    await lectern.remove()
  }
}

/** As in an import, because readers' reports count by address only for pages. */
async function fill(store: Store, { uuid: project, team }: Project): Promise<void> {
  const common = { team, project, kind: 'click' as const, at: `${day}T10:00:00.000Z` }
  for (let first = 0; first < clicks; first += atOnce)
    await store.analytics.record(
      Array.from({ length: atOnce }, (_, n) => ({
        ...{ ...common, uuid: `c${first + n}`, url: `https://docs.example/${first + n}` },
        ...{ query: null, name: null, number: 1 },
      })),
    )
}
