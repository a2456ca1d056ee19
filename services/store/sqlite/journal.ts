// The journal of a project on SQLite: a batch is one transaction. Decisions are made before it, from data of the same sequence number.
import { createJournal as createSharedJournal, type Journal, type ProjectState } from '../journal.ts'
import { journalTables } from '../nouns.ts'
import type { PageContent } from '../page.ts'
import type { PageTexts } from '../page-store.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { createRows, createTable } from './table.ts'

/** The columns of `project` that batches change. */
const stateTable = createTable<ProjectState>({
  name: 'project',
  fields: 'uuid fence:int liveRun? deletedSources:json indexedAt? sequence:int',
})

export const textSchema = `
create table page_content (
  page text primary key,
  body blob not null
) strict;
create trigger page_removed after delete on page begin
  delete from page_content where page = old.uuid;
end;
`

export function createJournal(db: Connection): Journal {
  const projects = createRows(db, stateTable)
  const tables = new Map(journalTables.map((table) => [table.name, createRows(db, createTable(table))]))
  const project = (uuid: string): ProjectState | null => projects.one({ uuid })
  return createSharedJournal({
    project,
    settled: project,
    projects: (uuids) => {
      const found = [...new Set(uuids)].flatMap((uuid) => project(uuid) ?? [])
      return new Map(found.map((each) => [each.uuid, each]))
    },
    liveProjects: () => projects.all({ liveRun: { $gt: '' } }),
    commit: ({ uuid, sequence }, { writes = [], project: changed, texts = [] }) =>
      db.write(() => {
        if (!projects.set({ uuid, sequence }, { ...changed, sequence: sequence + 1 })) return false
        // A text replaces that of the previous version. The trigger deletes those of removed pages.
        for (const write of writes) if ('to' in write) tables.get(write.to.name)!.apply(write)
        for (const { page, text } of texts)
          db.run('insert or replace into page_content (page, body) values (?, ?)', [page, text])
        return true
      }),
    pause: yieldToWriters,
  })
}

/**
 * Texts are uncompressed JSON in UTF-8: even the fastest zstd takes two to three times the CPU time of writing the larger row, and
 * reading is slower too.
 */
export function createTexts(db: Connection): PageTexts {
  const decoder = new TextDecoder()
  return {
    pack: (_, content) => Buffer.from(JSON.stringify(content)),
    read: async ({ uuid }) => {
      const row = db.get<{ body: Uint8Array }>('select body from page_content where page = ?', [uuid])
      return row === undefined ? null : (JSON.parse(decoder.decode(row.body)) as PageContent)
    },
  }
}
