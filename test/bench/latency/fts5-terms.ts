// The trial of FTS5 as the embedded index: the same terms of both manuals in segments and in an FTS5 table, asked for the
// candidates of the same keystrokes. Times are processor time of this process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TermQuery, Unit } from '../../../services/index/search-index.ts'
import { openSegmentIndex } from '../../../services/index/segments/segment-index.ts'
import { understand } from '../../../services/search/understand.ts'
import { readManualUnits } from '../agreement/manual-units.ts'
import type { BenchOptions } from '../bench-options.ts'
import type { Table } from '../report.ts'
import { largeManuals } from '../site/manuals.ts'
import { percentile } from '../statistics.ts'
import { emptyTimes, type KeystrokeClass, readKeystrokes } from './keystrokes.ts'

const project = 'f1b9c6a0-52c1-4a5e-9d61-0c8f3a7e4b21'
const batchSize = 50
/** As search asks for them first. */
const candidates = 64

export async function measureFts5Terms({ rounds }: BenchOptions): Promise<Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-fts5-terms-'))
  const units = largeManuals.flatMap((manual) => readManualUnits(manual))
  const segments = await openSegmentIndex(folder)
  for (let at = 0; at < units.length; at += batchSize)
    await segments.add(project, units.slice(at, at + batchSize))
  await segments.optimize(project)
  const fts5 = openFts5(join(folder, 'fts5.db'), units)
  const engines = {
    segments: async (query: TermQuery) =>
      (await segments.findByTerms(project, query)).map(({ unit }) => unit.id),
    FTS5: async ({ terms, limit }: TermQuery) => fts5(terms, limit).map((row) => units[row]!.id),
  }

  const vocabulary = await segments.vocabulary(project)
  const toQuery = (q: string): TermQuery => {
    const { terms, groups } = understand(q, vocabulary, true)
    const words = groups.map(({ idf, weight, alternatives }) => ({ weight: idf * weight, alternatives }))
    return { terms, words, limit: candidates }
  }
  const keystrokes = readKeystrokes(units)
  const rows: Table['rows'] = []
  for (const kind of Object.keys(emptyTimes()) as KeystrokeClass[]) {
    const queries = keystrokes[kind].map(toQuery).filter(({ terms }) => terms.length > 0)
    const times: Record<keyof typeof engines, number[]> = { segments: [], FTS5: [] }
    let shared = 0
    // The first round warms both.
    for (let round = 0; round <= rounds; round++) {
      for (const query of queries) {
        const answers: string[][] = []
        for (const [name, find] of Object.entries(engines) as [keyof typeof engines, typeof engines.FTS5][]) {
          const before = process.cpuUsage()
          answers.push((await find(query)).slice(0, 10))
          const { user, system } = process.cpuUsage(before)
          if (round > 0) times[name].push((user + system) / 1000)
        }
        const [ours, theirs] = answers as [string[], string[]]
        if (round > 0) shared += ours.filter((id) => theirs.includes(id)).length / Math.max(1, ours.length)
      }
    }
    const p95 = percentile(times.segments, 0.95)
    for (const [engine, values] of Object.entries(times)) {
      rows.push({
        ...{ class: kind, engine, keystrokes: values.length, p50: percentile(values, 0.5) },
        ...{ p95: percentile(values, 0.95), '× segments': percentile(values, 0.95) / p95 },
        'overlap@10': engine === 'FTS5' ? shared / (rounds * queries.length) : null,
      })
    }
  }
  await segments.close()
  await rm(folder, { recursive: true })
  return [{ title: `Candidates of ${units.length} sections: ms of processor time a keystroke`, rows }]
}

/** Numbers of units, best first: BM25 with the fields' weights, of a table without contents. */
function openFts5(path: string, units: Unit[]): (terms: string[], limit: number) => number[] {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = wal; PRAGMA cache_size = -131072; PRAGMA mmap_size = 1073741824')
  database.exec(
    `CREATE VIRTUAL TABLE section USING fts5(title, heading, body, content = '', tokenize = "ascii tokenchars '-._/:\\@$#+'''")`,
  )
  const insert = database.prepare('INSERT INTO section (rowid, title, heading, body) VALUES (?, ?, ?, ?)')
  database.exec('BEGIN')
  for (const [row, { titleTerms, headingTerms, bodyTerms }] of units.entries())
    insert.run(row, titleTerms, headingTerms, bodyTerms)
  database.exec("INSERT INTO section (section) VALUES ('optimize'); COMMIT")
  const select = database.prepare(
    'SELECT rowid FROM section WHERE section MATCH ? ORDER BY bm25(section, 1, 2, 1) LIMIT ?',
  )
  return (terms, limit) =>
    select.all(terms.map((term) => `"${term}"`).join(' OR '), limit).map(({ rowid }) => Number(rowid))
}
