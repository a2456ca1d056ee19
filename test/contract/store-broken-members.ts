// Stores that break one promise each of members and invitations.
import { Conflict } from '../../services/errors.ts'
import { type BrokenStore, instead, reversed } from './store-broken.ts'

export const brokenMemberStores: BrokenStore[] = [
  {
    promise: 'the name of a team is written',
    noun: 'members',
    breaks: instead('teams', () => ({ rename: async () => true })),
  },
  {
    promise: 'a member is seen in its team only',
    noun: 'members',
    breaks: instead('members', ({ members }) => ({ get: (_team, uuid) => members.get('t1', uuid) })),
  },
  {
    promise: 'an e-mail address belongs to one member',
    noun: 'members',
    breaks: instead('members', ({ members }) => ({
      insert: (member) =>
        members.insert(member).catch((error) => {
          if (!(error instanceof Conflict)) throw error
        }),
    })),
  },
  {
    promise: 'members are listed oldest first',
    noun: 'members',
    breaks: instead('members', ({ members }) => ({
      list: (team, page) => reversed(members.list(team, page)),
    })),
  },
  {
    promise: 'a change of a member compares the revision',
    noun: 'members',
    breaks: instead('members', ({ members }) => ({
      update: async (member) => {
        const stored = await members.get(member.team, member.uuid)
        return stored !== null && members.update({ ...member, revision: stored.revision + 1 })
      },
    })),
  },
  {
    promise: 'the keys of a member are deleted',
    noun: 'members',
    breaks: instead('keys', () => ({ deleteOfMember: async () => {} })),
  },
  {
    promise: 'an invitation is taken once',
    noun: 'members',
    breaks: (good) => {
      const { list, take } = good.invitations
      return instead('invitations', () => ({
        take: async (hash, now) => {
          const { rows } = await list('t1', now, { offset: 0, limit: 100 })
          await take(hash, now)
          return rows.find((row) => row.hash === hash) ?? null
        },
      }))(good)
    },
  },
  {
    promise: 'an invitation names its creator',
    noun: 'members',
    breaks: instead('invitations', ({ invitations }) => ({
      insert: (invitation) => invitations.insert({ ...invitation, creator: null }),
    })),
  },
  {
    promise: 'an invitation ends at its time',
    noun: 'members',
    breaks: instead('invitations', ({ invitations }) => ({ take: (hash) => invitations.take(hash, '') })),
  },
  {
    promise: 'invitations are listed newest first',
    noun: 'members',
    breaks: instead('invitations', ({ invitations }) => ({
      list: (team, now, page) => reversed(invitations.list(team, now, page)),
    })),
  },
]
