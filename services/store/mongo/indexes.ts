// The indexes of every collection, made where they are missing when a store is opened.
import { type Db, MongoServerError } from 'mongodb'

interface Index {
  key: Record<string, 1 | -1>
  unique?: true
}

/** By collection; `_id` has one of its own. */
const indexes: Record<string, Index[]> = {
  keys: [{ key: { hash: 1 }, unique: true }, { key: { team: 1, createdAt: -1, _id: -1 } }],
  members: [{ key: { team: 1, email: 1 }, unique: true }, { key: { team: 1, createdAt: 1, _id: 1 } }],
  invitations: [
    { key: { hash: 1 }, unique: true },
    { key: { team: 1, createdAt: -1, _id: -1 } },
    { key: { expiresAt: 1 } },
  ],
  projects: [
    { key: { slug: 1 }, unique: true },
    { key: { team: 1, slug: 1 } },
    { key: { state: 1 } },
    { key: { liveRun: 1 } },
  ],
  chats: [
    { key: { project: 1, state: 1, createdAt: -1, _id: -1 } },
    { key: { project: 1, state: 1, email: 1 } },
    { key: { project: 1, state: 1, updatedAt: 1, _id: 1 } },
    { key: { state: 1 } },
  ],
  chat_days: [{ key: { project: 1, day: 1 } }],
  chat_messages: [{ key: { chat: 1, position: 1 }, unique: true }, { key: { project: 1, createdAt: 1 } }],
  limit_windows: [{ key: { endsAt: 1 } }],
  limit_blocks: [{ key: { until: 1 } }],
  analytics_days: [{ key: { project: 1, day: 1 } }],
  analytics_events: [{ key: { project: 1, at: 1, _id: 1 } }],
  vectors: [{ key: { model: 1, hash: 1 } }, { key: { usedAt: 1 } }],
  vocabulary_chunks: [{ key: { project: 1 } }],
  sources: [
    { key: { project: 1, type: 1, identity: 1 }, unique: true },
    { key: { project: 1, createdAt: 1, _id: 1 } },
  ],
  runs: [{ key: { project: 1, createdAt: -1, fence: -1 } }, { key: { frontier: 1 } }],
  run_events: [
    { key: { run: 1, sequence: 1 } },
    { key: { run: 1, level: 1, sequence: 1 } },
    { key: { run: 1, type: 1, sequence: 1 } },
    { key: { project: 1 } },
  ],
  frontier: [
    { key: { run: 1, state: 1, ordinal: 1 } },
    { key: { run: 1, deferredBy: 1, ordinal: 1 } },
    { key: { project: 1 } },
  ],
  listings: [{ key: { run: 1, source: 1, state: 1, ordinal: 1 } }, { key: { project: 1 } }],
  pages: [
    { key: { project: 1, url: 1 } },
    { key: { project: 1, state: 1, _id: 1 } },
    { key: { project: 1, contentHash: 1 } },
    { key: { project: 1, pinned: 1, _id: 1 } },
    { key: { project: 1, heldBy: 1 } },
    { key: { project: 1, sources: 1 } },
  ],
  page_bodies: [{ key: { page: 1, number: 1 } }, { key: { project: 1, number: 1 } }],
  swept_versions: [{ key: { project: 1, seq: 1, place: 1 } }],
  recrawls: [{ key: { project: 1, createdAt: -1, _id: -1 } }, { key: { status: 1, createdAt: 1, _id: 1 } }],
}

const indexName = ({ key }: Index): string => Object.entries(key).flat().join('_')

export async function createIndexes(db: Db): Promise<void> {
  await Promise.all(Object.entries(indexes).map(([name, wanted]) => createOn(db, name, wanted)))
}

/** Of several processes that begin at once, one finds the other's work at its next attempt. */
const maxAttempts = 4

async function createOn(db: Db, name: string, wanted: Index[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const missing = await missingOn(db, name, wanted)
    if (missing.length === 0) return
    try {
      await db.collection(name).createIndexes(missing.map((index) => ({ ...index, name: indexName(index) })))
    } catch (error) {
      if (attempt === maxAttempts) throw error
    }
  }
}

/** Asked first, for a server may refuse to make an index that it has. */
async function missingOn(db: Db, name: string, wanted: Index[]): Promise<Index[]> {
  try {
    const there = new Set((await db.collection(name).listIndexes().toArray()).map((index) => index.name))
    return wanted.filter((index) => !there.has(indexName(index)))
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return wanted
    throw error
  }
}

const namespaceNotFound = 26
