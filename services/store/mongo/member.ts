import type { Invitation, InvitationStore, Member, MemberStore } from '../member.ts'
import type { MongoDb } from './connection.ts'
import { fromStored, fromStoredOrNull, insertMissing, insertOnce, type Stored, toStored } from './row.ts'

export function createMembers(db: MongoDb): MemberStore {
  const members = db.collection<Stored<Member>>('members')
  return {
    insert: async (member) => {
      await insertOnce(members, toStored(member), 'email')
    },
    get: async (team, uuid) => fromStoredOrNull<Member>(await members.findOne({ _id: uuid, team })),
    byEmail: async (team, email) => fromStoredOrNull<Member>(await members.findOne({ team, email })),
    list: async (team, { offset, limit }) => {
      const oldestFirst = members.find({ team }).sort({ createdAt: 1, _id: 1 })
      return {
        count: await members.countDocuments({ team }),
        rows: (await oldestFirst.skip(offset).limit(limit).toArray()).map(fromStored<Member>),
      }
    },
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
    list: async (team, now, { offset, limit }) => {
      const open = { team, expiresAt: { $gt: now } }
      const newestFirst = invitations.find(open).sort({ createdAt: -1, _id: -1 })
      return {
        count: await invitations.countDocuments(open),
        rows: (await newestFirst.skip(offset).limit(limit).toArray()).map(fromStored<Invitation>),
      }
    },
    delete: async (team, uuid) => (await invitations.deleteOne({ _id: uuid, team })).deletedCount > 0,
    prune: async (now) => {
      await invitations.deleteMany({ expiresAt: { $lte: now } })
    },
  }
}
