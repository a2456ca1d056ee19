// The first team, which the admin key works in.
import type { Store } from '../services/store/store.ts'

/** The same everywhere: of several processes that start on an empty store, each makes the same team. */
const uuid = '4c656374-6572-4e00-8000-000000000001'

/** Makes the team where there is none. */
export async function ensureTeam(teams: Store['teams'], now: Date): Promise<void> {
  if ((await teams.first()) === null) {
    await teams.insert({ uuid, name: 'Team', createdAt: now.toISOString() })
  }
}
