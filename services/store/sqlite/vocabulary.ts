// The terms of a project's pages, one blob a project.
import type { VocabularyStore } from '../vocabulary.ts'
import type { Connection } from './connection.ts'

export function createVocabulary(db: Connection): VocabularyStore {
  return {
    version: async (project) =>
      db.get<{ version: number }>(
        'select version from vocabulary where project = (select id from project where uuid = ?)',
        project,
      )?.version ?? 0,
    read: async (project) => {
      const row = db.get<{ version: number; terms: Uint8Array }>(
        'select version, terms from vocabulary where project = (select id from project where uuid = ?)',
        project,
      )
      return row === undefined ? null : { ...row }
    },
    write: async (project, terms) =>
      db.get<{ version: number }>(
        `insert into vocabulary (project, version, terms) select id, 1, ? from project where uuid = ?
       on conflict (project) do update set version = version + 1, terms = excluded.terms returning version`,
        terms,
        project,
      )?.version ?? 0,
  }
}
