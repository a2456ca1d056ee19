// The indexes of every collection, made where they are missing when a store is opened.
import { type Db, MongoServerError } from 'mongodb'

/** By collection: the fields of each index, `-` before a descending one, `unique` behind them. `_id` has an index of its own. */
const indexes: Record<string, string[]> = {
  keys: ['hash unique', 'team -createdAt -_id'],
  members: ['team email unique', 'team createdAt _id'],
  invitations: ['hash unique', 'team -createdAt -_id', 'expiresAt'],
  projects: ['slug unique', 'team slug', 'state', 'liveRun'],
  chats: ['project state -createdAt -_id', 'project state email', 'project state updatedAt _id', 'state'],
  chat_days: ['project day'],
  chat_messages: ['chat position unique', 'project createdAt'],
  limit_windows: ['endsAt'],
  limit_blocks: ['until'],
  analytics_days: ['project day'],
  analytics_events: ['project at _id'],
  vectors: ['model hash', 'usedAt'],
  sources: ['project type identity unique', 'project createdAt _id'],
  runs: ['project -createdAt -fence', 'frontier'],
  run_events: ['run sequence', 'run level sequence', 'run type sequence', 'project'],
  addresses: ['project status url', 'run state _id', 'run deferredBy _id'],
  listings: ['run source state ordinal', 'project'],
  pages: [
    ...['project url', 'project state _id', 'project contentHash', 'project language'],
    ...['project pinned _id', 'project heldBy', 'project sources'],
  ],
  page_bodies: ['page number', 'project number'],
  swept_versions: ['project seq place'],
  recrawls: ['project -createdAt -_id', 'status createdAt _id'],
}

function toIndex(text: string) {
  const [, fields = '', unique] = /^(.*?)( unique)?$/.exec(text) ?? []
  const key = Object.fromEntries(
    fields.split(' ').map((field) => (field.startsWith('-') ? [field.slice(1), -1] : [field, 1])),
  )
  return { key, name: Object.entries(key).flat().join('_'), ...(unique && { unique: true }) }
}

export async function createIndexes(db: Db): Promise<void> {
  await Promise.all(Object.entries(indexes).map(([name, wanted]) => createOn(db, name, wanted)))
}

/** Of several processes that begin at once, one finds the other's work at its next attempt. */
const maxAttempts = 4

async function createOn(db: Db, name: string, wanted: string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const known = await namesOn(db, name)
    // A server may refuse to make an index that it has.
    const missing = wanted.map(toIndex).filter((index) => !known.includes(index.name))
    if (missing.length === 0) return
    try {
      await db.collection(name).createIndexes(missing)
    } catch (error) {
      if (attempt === maxAttempts) throw error
    }
  }
}

async function namesOn(db: Db, name: string): Promise<string[]> {
  try {
    return (await db.collection(name).listIndexes().toArray()).map((index) => index.name)
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return []
    throw error
  }
}

const namespaceNotFound = 26
