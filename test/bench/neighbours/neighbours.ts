// What one project under attack costs the readers of another, and its sync.
import type { BenchOptions } from '../bench-options.ts'
import { type Table, toTarget } from '../report.ts'
import { percentile } from '../statistics.ts'
import { readUsage } from '../usage.ts'
import type { Seen } from './probe.ts'
import { besiege } from './siege.ts'

export async function measureNeighbours(_options: BenchOptions): Promise<Table[]> {
  const siege = await besiege(async (pid) => (await readUsage(pid)).peak)
  const refused = Object.values(siege.during.refused).reduce((sum, count) => sum + count, 0)
  return [
    {
      title: 'Beside a project under attack: ms of an answer',
      rows: [...toRows('before', siege.before), ...toRows('during', siege.during)],
      notes: [
        `searches refused: ${JSON.stringify(siege.during.refused)}`,
        `the neighbour's sync: ${siege.neighbour.status} ${JSON.stringify(siege.neighbour.pages)}`,
        `the attacked project's: ${siege.attacked.status} ${siege.attacked.error ?? ''} ${JSON.stringify(siege.attacked.pages)}`,
        `peak memory of Lectern: ${Math.round(siege.peak)} MB`,
      ],
    },
    {
      title: 'Beside a project under attack: targets',
      rows: [
        toTarget('slowest search, ms', Math.max(...siege.during.searches), '≤', 1_000),
        toTarget('slowest /healthz, ms', Math.max(...siege.during.alive), '≤', 150),
        toTarget('searches refused', refused, '≤', 0),
        toTarget('pages of the neighbour read by its sync', siege.neighbour.pages.unchanged!, '≥', 61),
      ],
    },
  ]
}

function toRows(when: string, { alive, searches }: Seen): Table['rows'] {
  return Object.entries({ '/healthz': alive, search: searches }).map(([what, times]) => ({
    when,
    what,
    answers: times.length,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
    slowest: Math.max(...times),
  }))
}
