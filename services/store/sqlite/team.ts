import type { Team, TeamStore } from '../team.ts'
import type { Connection } from './connection.ts'

const columns = 'uuid, name, created_at as createdAt'

const toTeam = (row: Team | undefined): Team | null => (row === undefined ? null : { ...row })

export function createTeams(db: Connection): TeamStore {
  return {
    insert: async (team) => {
      db.run(
        'insert into team (uuid, name, created_at) values (?, ?, ?) on conflict (uuid) do nothing',
        team.uuid,
        team.name,
        team.createdAt,
      )
    },
    get: async (uuid) => toTeam(db.get<Team>(`select ${columns} from team where uuid = ?`, uuid)),
    rename: async (uuid, name) => db.run('update team set name = ? where uuid = ?', name, uuid) > 0,
    first: async () => toTeam(db.get<Team>(`select ${columns} from team order by created_at, uuid limit 1`)),
    all: async () =>
      db.all<Team>(`select ${columns} from team order by created_at, uuid`).map((row) => ({ ...row })),
  }
}
