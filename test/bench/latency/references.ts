// The engines that search latency is measured against, within the benchmark's own process: no socket, no JSON.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import MiniSearch from 'minisearch'
import type { Corpus } from '../corpus/corpus.ts'
import { toMatch } from '../quality/fts5-engine.ts'

export interface LatencyEngine {
  name: string
  search(query: string): unknown
  close(): Promise<void> | void
}

/** MiniSearch with what as-you-type search takes: last word as a prefix, one error in five letters, headings first. */
export function openMiniSearch(corpus: Corpus, size: number): LatencyEngine {
  const index = new MiniSearch({ fields: ['heading', 'text'] })
  for (let id = 0; id < size; id++) index.add({ id, ...corpus.section(id) })
  return {
    name: 'MiniSearch',
    search: (query) =>
      index
        .search(query, {
          boost: { heading: 4 },
          fuzzy: 0.2,
          prefix: (_term, at, terms) => at === terms.length - 1,
        })
        .slice(0, 10),
    close() {},
  }
}

/** One FTS5 statement on a file: OR of the words, the last as a prefix (prefix indexes kept), BM25, ten rows. */
export function openFts5(corpus: Corpus, size: number): LatencyEngine {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-fts5-'))
  const database = new DatabaseSync(join(folder, 'fts5.db'))
  database.exec('PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = -262144')
  database.exec("CREATE VIRTUAL TABLE section USING fts5(heading, text, prefix = '1 2 3')")
  const insert = database.prepare('INSERT INTO section (rowid, heading, text) VALUES (?, ?, ?)')
  database.exec('BEGIN')
  for (let id = 0; id < size; id++) {
    const { heading, text } = corpus.section(id)
    insert.run(id, heading, text)
  }
  database.exec("INSERT INTO section (section) VALUES ('optimize'); COMMIT")
  const select = database.prepare(
    'SELECT rowid, heading FROM section WHERE section MATCH ? ORDER BY bm25(section, 4, 1) LIMIT 10',
  )
  return {
    name: 'FTS5',
    search(query) {
      const match = toMatch(query, 'last', 'OR')
      return match === '' ? [] : select.all(match)
    },
    close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
