// Sources of a project.
import { type SourcePages, sourceTable as sharedTable } from '../source.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createTable } from './table.ts'

export const sourceTable = createTable(sharedTable, { extra: ['id integer primary key autoincrement'] })

export function createSourcePages(db: Connection, cleanup: Cleanup): SourcePages {
  return {
    pageCounts: async (project) => {
      const rows = db.all<{ uuid: string; n: number }>(
        `select source.uuid, (select count(*) from page_source where page_source.source = source.id) as n
         ${sourceTable.from} where project.uuid = ?`,
        [project],
      )
      return new Map(rows.flatMap(({ uuid, n }) => (n === 0 ? [] : [[uuid, n]])))
    },
    delete: async (project, uuid) => {
      const ofThis = 'uuid = ? and project = (select id from project where uuid = ?)'
      const isDeleted = db.write(() => cleanup.delete('source', ofThis, [uuid, project]))
      await cleanup.run()
      return isDeleted
    },
  }
}
