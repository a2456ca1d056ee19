import type { Team, TeamStore } from '../team.ts'
import type { MongoDb } from './connection.ts'
import { fromKept, fromKeptOrNull, insertMissing, type Kept, toKept } from './row.ts'

export function createTeams(db: MongoDb): TeamStore {
  const teams = db.collection<Kept<Team>>('teams')
  const oldestFirst = () => teams.find().sort({ createdAt: 1, _id: 1 })
  return {
    insert: (team) => insertMissing(teams, [toKept(team)]),
    get: async (uuid) => fromKeptOrNull<Team>(await teams.findOne({ _id: uuid })),
    first: async () => fromKeptOrNull<Team>(await oldestFirst().limit(1).next()),
    all: async () => (await oldestFirst().toArray()).map(fromKept<Team>),
  }
}
