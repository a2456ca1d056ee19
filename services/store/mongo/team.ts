// Teams, their keys, members and invitations.
import type {
  Invitation,
  InvitationStore,
  Key,
  KeyStore,
  Member,
  MemberStore,
  Team,
  TeamStore,
} from '../team.ts'
import type { MongoDb } from './connection.ts'
import { createRows, insertMissing, newestFirst, oldestFirst, toStored } from './row.ts'

export function createTeams(db: MongoDb): TeamStore {
  const { documents, one, all } = createRows<Team>(db, 'teams')
  return {
    insert: (team) => insertMissing(documents, [toStored(team)]),
    get: (uuid) => one({ _id: uuid }),
    rename: async (uuid, name) =>
      (await documents.updateOne({ _id: uuid }, { $set: { name } })).matchedCount > 0,
    first: async () => (await all({}, oldestFirst, 1))[0] ?? null,
    all: () => all({}, oldestFirst),
  }
}

export function createKeys(db: MongoDb): KeyStore {
  const { documents, one, page, insertUnique } = createRows<Key>(db, 'keys')
  return {
    insert: (key) => insertUnique(toStored(key), 'hash'),
    byHash: (hash) => one({ hash }),
    get: (team, uuid) => one({ _id: uuid, team }),
    list: (team, request) => page({ team }, newestFirst, request),
    delete: async (team, uuid) => (await documents.deleteOne({ _id: uuid, team })).deletedCount > 0,
    deleteOfMember: async (team, memberUuid) => void (await documents.deleteMany({ team, memberUuid })),
    touch: async (uuid, at) => {
      const isOlder = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: at } }] }
      await documents.updateOne({ _id: uuid, ...isOlder }, { $set: { lastUsedAt: at } })
    },
  }
}

export function createMembers(db: MongoDb): MemberStore {
  const { documents, one, page, insertUnique } = createRows<Member>(db, 'members')
  return {
    insert: (member) => insertUnique(toStored(member), 'email'),
    get: (team, uuid) => one({ _id: uuid, team }),
    byEmail: (team, email) => one({ team, email }),
    list: (team, request) => page({ team }, oldestFirst, request),
    update: async ({ uuid, name, role, revision }) => {
      const before = { _id: uuid, revision: revision - 1 }
      return (await documents.updateOne(before, { $set: { name, role, revision } })).modifiedCount > 0
    },
    delete: async (team, uuid) => (await documents.deleteOne({ _id: uuid, team })).deletedCount > 0,
  }
}

export function createInvitations(db: MongoDb): InvitationStore {
  const { documents, page, toRow } = createRows<Invitation>(db, 'invitations')
  return {
    insert: (invitation) => insertMissing(documents, [toStored(invitation)]),
    take: async (hash, now) => {
      const taken = await documents.findOneAndDelete({ hash, expiresAt: { $gt: now } })
      return taken && toRow(taken)
    },
    list: (team, now, request) => page({ team, expiresAt: { $gt: now } }, newestFirst, request),
    delete: async (team, uuid) => (await documents.deleteOne({ _id: uuid, team })).deletedCount > 0,
    prune: async (now) => void (await documents.deleteMany({ expiresAt: { $lte: now } })),
  }
}
