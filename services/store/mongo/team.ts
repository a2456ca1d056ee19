// Teams, their keys and members, and invitations to become one.
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
import {
  findPage,
  fromStored,
  fromStoredOrNull,
  insertMissing,
  insertOnce,
  type Stored,
  toStored,
} from './row.ts'

const newestFirst = { createdAt: -1, _id: -1 } as const
const oldestFirst = { createdAt: 1, _id: 1 } as const

export function createTeams(db: MongoDb): TeamStore {
  const teams = db.collection<Stored<Team>>('teams')
  const inOrder = () => teams.find().sort(oldestFirst)
  return {
    insert: (team) => insertMissing(teams, [toStored(team)]),
    get: async (uuid) => fromStoredOrNull<Team>(await teams.findOne({ _id: uuid })),
    rename: async (uuid, name) => (await teams.updateOne({ _id: uuid }, { $set: { name } })).matchedCount > 0,
    first: async () => fromStoredOrNull<Team>(await inOrder().limit(1).next()),
    all: async () => (await inOrder().toArray()).map(fromStored<Team>),
  }
}

export function createKeys(db: MongoDb): KeyStore {
  const keys = db.collection<Stored<Key>>('keys')
  return {
    insert: (key) => insertOnce(keys, toStored(key), 'hash'),
    byHash: async (hash) => fromStoredOrNull<Key>(await keys.findOne({ hash })),
    get: async (team, uuid) => fromStoredOrNull<Key>(await keys.findOne({ _id: uuid, team })),
    list: (team, page) => findPage(keys, { team }, newestFirst, page, fromStored<Key>),
    delete: async (team, uuid) => (await keys.deleteOne({ _id: uuid, team })).deletedCount > 0,
    deleteOfMember: async (team, memberUuid) => {
      await keys.deleteMany({ team, memberUuid })
    },
    touch: async (uuid, at) => {
      const isOlder = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: at } }] }
      await keys.updateOne({ _id: uuid, ...isOlder }, { $set: { lastUsedAt: at } })
    },
  }
}

export function createMembers(db: MongoDb): MemberStore {
  const members = db.collection<Stored<Member>>('members')
  return {
    insert: (member) => insertOnce(members, toStored(member), 'email'),
    get: async (team, uuid) => fromStoredOrNull<Member>(await members.findOne({ _id: uuid, team })),
    byEmail: async (team, email) => fromStoredOrNull<Member>(await members.findOne({ team, email })),
    list: (team, page) => findPage(members, { team }, oldestFirst, page, fromStored<Member>),
    update: async ({ uuid, name, role, revision }) => {
      const before = { _id: uuid, revision: revision - 1 }
      return (await members.updateOne(before, { $set: { name, role, revision } })).modifiedCount > 0
    },
    delete: async (team, uuid) => (await members.deleteOne({ _id: uuid, team })).deletedCount > 0,
  }
}

export function createInvitations(db: MongoDb): InvitationStore {
  const invitations = db.collection<Stored<Invitation>>('invitations')
  return {
    insert: (invitation) => insertMissing(invitations, [toStored(invitation)]),
    take: async (hash, now) =>
      fromStoredOrNull<Invitation>(await invitations.findOneAndDelete({ hash, expiresAt: { $gt: now } })),
    list: (team, now, page) =>
      findPage(invitations, { team, expiresAt: { $gt: now } }, newestFirst, page, fromStored<Invitation>),
    delete: async (team, uuid) => (await invitations.deleteOne({ _id: uuid, team })).deletedCount > 0,
    prune: async (now) => {
      await invitations.deleteMany({ expiresAt: { $lte: now } })
    },
  }
}
