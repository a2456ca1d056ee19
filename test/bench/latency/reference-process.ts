// A process that holds one reference engine: it builds its index, then types when it is told to, and tells the times.
// Arguments: engine, file of the corpus's parts, number of sections. No socket, no JSON within what is timed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import MiniSearch from 'minisearch'
import { type Corpus, createCorpus } from '../corpus/corpus.ts'
import { toMatch } from '../quality/fts5-engine.ts'
import { type Keystrokes, type } from './keystrokes.ts'

type Search = (query: string) => unknown

/** MiniSearch with what as-you-type search takes: last word as a prefix, one error in five letters, headings first. */
function openMiniSearch(corpus: Corpus, size: number): Search {
  const index = new MiniSearch({ fields: ['heading', 'text'] })
  for (let id = 0; id < size; id++) index.add({ id, ...corpus.section(id) })
  return (query) =>
    index
      .search(query, {
        boost: { heading: 4 },
        fuzzy: 0.2,
        prefix: (_term, at, terms) => at === terms.length - 1,
      })
      .slice(0, 10)
}

/** One FTS5 statement on a file: OR of the words, the last as a prefix (prefix indexes kept), BM25, ten rows. */
function openFts5(corpus: Corpus, size: number): Search {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-fts5-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
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
  return (query) => {
    const match = toMatch(query, 'last', 'OR')
    return match === '' ? [] : select.all(match)
  }
}

export type Reference = 'MiniSearch' | 'FTS5'

const engines: Record<Reference, (corpus: Corpus, size: number) => Search> = {
  MiniSearch: openMiniSearch,
  FTS5: openFts5,
}

if (import.meta.main) {
  const [engine, file, size] = process.argv.slice(2) as [Reference, string, string]
  const search = engines[engine](createCorpus(JSON.parse(readFileSync(file, 'utf8'))), Number(size))
  process.on('disconnect', () => process.exit())
  process.on('message', async (keystrokes: Keystrokes) => process.send?.(await type(search, keystrokes)))
  process.send?.('ready')
}
