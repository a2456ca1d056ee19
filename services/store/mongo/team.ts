import type { Team, TeamStore } from '../team.ts'
import type { MongoDb } from './connection.ts'
import { fromStored, fromStoredOrNull, insertMissing, type Stored, toStored } from './row.ts'

export function createTeams(db: MongoDb): TeamStore {
  const teams = db.collection<Stored<Team>>('teams')
  const oldestFirst = () => teams.find().sort({ createdAt: 1, _id: 1 })
  return {
    insert: (team) => insertMissing(teams, [toStored(team)]),
    get: async (uuid) => fromStoredOrNull<Team>(await teams.findOne({ _id: uuid })),
    rename: async (uuid, name) => (await teams.updateOne({ _id: uuid }, { $set: { name } })).matchedCount > 0,
    first: async () => fromStoredOrNull<Team>(await oldestFirst().limit(1).next()),
    all: async () => (await oldestFirst().toArray()).map(fromStored<Team>),
  }
}
