// SQLite's FTS5 with BM25 over the same sections: the words of the query joined by OR or AND, the last as a prefix.
import { DatabaseSync } from 'node:sqlite'
import type { ManualSection } from '../corpus/sections.ts'

export interface Settings {
  /** Weights of the columns. */
  title: number
  heading: number
  path: number
  /** Which words are prefixes. */
  prefix: 'last' | 'none' | 'all'
  combine: 'OR' | 'AND'
  stem: 'porter' | 'no'
}

export function openFts5(sections: ManualSection[]) {
  const database = new DatabaseSync(':memory:')
  const fill = (table: string, tokenizer: string) => {
    database.exec(
      `CREATE VIRTUAL TABLE ${table} USING fts5(title, heading, path, text, tokenize = "${tokenizer}", prefix = '1 2 3')`,
    )
    const insert = database.prepare(
      `INSERT INTO ${table} (rowid, title, heading, path, text) VALUES (?, ?, ?, ?, ?)`,
    )
    database.exec('BEGIN')
    for (const [id, { title, heading, path, text }] of sections.entries())
      insert.run(id, title, heading, path, text)
    database.exec('COMMIT')
    return database.prepare(
      `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}, ?, ?, ?, 1) LIMIT 50`,
    )
  }
  const statements = { porter: fill('stemmed', 'porter unicode61'), no: fill('plain', 'unicode61') }
  return {
    /** The best 50, best first. */
    search(query: string, { title, heading, path, prefix, combine, stem }: Settings): ManualSection[] {
      const match = toMatch(query, prefix, combine)
      if (match === '') return []
      const rows = statements[stem].all(match, title, heading, path)
      return rows.map(({ rowid }) => sections[Number(rowid)]!)
    },
    close: () => database.close(),
  }
}

/** Their pages, each once. */
export function toPages(sections: ManualSection[]): string[] {
  return [...new Set(sections.map(({ page }) => page))]
}

/** `os.path join` with prefix `last` → `"os" OR "path" OR "join"*`. */
function toMatch(query: string, prefix: string, combine: string): string {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
  const isPrefix = (at: number) => prefix === 'all' || (prefix === 'last' && at === words.length - 1)
  return words.map((word, at) => `"${word}"${isPrefix(at) ? '*' : ''}`).join(` ${combine} `)
}
