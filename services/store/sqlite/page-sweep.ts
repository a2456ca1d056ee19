// Versions that no reader sees any more, until their units are out of the index.
import type { PageStore, PageVersion } from '../page.ts'
import type { Connection } from './connection.ts'

export function createSweep(db: Connection): Pick<PageStore, 'swept' | 'forget'> {
  return {
    swept: async (project, limit) =>
      db
        .all<PageVersion>(
          `select swept.page, swept.version from project join swept on swept.project = project.id
         where project.uuid = ? order by swept.id limit ?`,
          project,
          limit,
        )
        .map((row) => ({ ...row })),
    forget: async (project, versions) => {
      db.write(() => {
        for (const { page, version } of versions)
          db.run(
            `delete from swept where page = ? and version = ? and project = (select id from project where uuid = ?)`,
            page,
            version,
            project,
          )
      })
    },
  }
}
