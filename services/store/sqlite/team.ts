import type { Team, TeamStore } from '../team.ts'
import type { Connection } from './connection.ts'
import { createTable, type Values } from './table.ts'

const teams = createTable<Team>('team', { plain: 'uuid name createdAt' })
const selection = `select ${teams.columns} from team`
const oldestFirst = 'order by created_at, uuid'

export function createTeams(db: Connection): TeamStore {
  const get = (rest: string, ...values: string[]) =>
    teams.toRowOrNull(db.get<Values<Team>>(`${selection} ${rest}`, ...values))
  return {
    insert: async (team) => {
      db.run(
        `insert into team (${teams.names}) values (${teams.parameters}) on conflict (uuid) do nothing`,
        teams.values(team),
      )
    },
    get: async (uuid) => get('where uuid = ?', uuid),
    rename: async (uuid, name) => db.run('update team set name = ? where uuid = ?', name, uuid) > 0,
    first: async () => get(`${oldestFirst} limit 1`),
    all: async () => db.all<Values<Team>>(`${selection} ${oldestFirst}`).map(teams.toRow),
  }
}
