// Stores that break one promise of chats or limits each.
import type { ChatMessage } from '../../services/store/chat.ts'
import { type BrokenStore, instead, reversed } from './store-broken.ts'

export const brokenChatStores: BrokenStore[] = [
  {
    promise: 'a chat is written once',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      insert: async (chat) => {
        await chats.delete(chat.project, chat.uuid)
        await chats.insert(chat)
      },
    })),
  },
  {
    promise: 'chats are listed newest first',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      list: (project, page) => reversed(chats.list(project, page)),
    })),
  },
  {
    promise: 'the count of a list is that of all rows, not of the page',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      list: async (project, page) => {
        const { rows } = await chats.list(project, page)
        return { count: rows.length, rows }
      },
    })),
  },
  {
    promise: 'messages come by position',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      messages: async (chat) =>
        (await chats.messages(chat)).sort((one, other) => (one.uuid < other.uuid ? -1 : 1)),
    })),
  },
  {
    promise: 'messages are read from the newest on',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      messages: async (chat, { limit = 100, offset = 0, below = 1_000 } = {}) =>
        (await chats.messages(chat, { below })).slice(offset, offset + limit),
    })),
  },
  {
    promise: 'only messages below a position are read',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      messages: (chat, { below: _, ...page } = {}) => chats.messages(chat, page),
    })),
  },
  {
    promise: 'a message is counted once',
    noun: 'chats',
    breaks: (good) => {
      let again = 0
      return instead('chats', ({ chats }) => ({
        append: async (message, trace, writer) => {
          if ((await chats.message(message.uuid)) !== null) again++
          return chats.append(message, trace, writer)
        },
        get: async (uuid) => {
          const chat = await chats.get(uuid)
          return chat && { ...chat, messageCount: chat.messageCount + again }
        },
      }))(good)
    },
  },
  {
    promise: 'a late message does not carry its chat back',
    noun: 'chats',
    breaks: (good) => {
      const last = new Map<string, string>()
      return instead('chats', ({ chats }) => ({
        append: (message, trace, writer) => {
          last.set(message.chat, message.createdAt)
          return chats.append(message, trace, writer)
        },
        get: async (uuid) => {
          const chat = await chats.get(uuid)
          return chat && { ...chat, updatedAt: last.get(uuid) ?? chat.updatedAt }
        },
      }))(good)
    },
  },
  {
    promise: 'the chat knows who wrote last',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      append: (message, trace) => chats.append(message, trace, null),
    })),
  },
  {
    promise: 'an e-mail that comes later is kept',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      append: (message, trace, writer) => chats.append(message, trace, writer && { ...writer, email: null }),
    })),
  },
  {
    promise: 'a position belongs to one message',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      append: async (message, trace, writer) => {
        const taken = (await chats.messages(message.chat)).map(({ position }) => position)
        const other = (await chats.message(message.uuid)) === null && taken.includes(message.position)
        return chats.append(other ? { ...message, position: 99 } : message, trace, writer)
      },
    })),
  },
  {
    promise: 'nothing is added to a chat that is gone',
    noun: 'chatErasure',
    breaks: instead('chats', ({ chats }) => ({
      append: async (message, trace, writer) => (await chats.append(message, trace, writer)) || true,
    })),
  },
  {
    promise: 'a rewrite compares the revision',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      rewrite: async (message, trace) => {
        const stored = await chats.message(message.uuid)
        return stored !== null && chats.rewrite({ ...message, revision: stored.revision + 1 }, trace)
      },
    })),
  },
  {
    promise: 'a rewrite writes the trace',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      rewrite: async (message, trace) => chats.rewrite(message, (await chats.trace(message.uuid)) ?? trace),
    })),
  },
  {
    promise: 'a reader’s message takes no feedback',
    noun: 'chats',
    breaks: instead('chats', ({ chats }) => ({
      react: async (message, feedback) =>
        (await chats.react(message, feedback)) || (await chats.message(message)) !== null,
    })),
  },
  {
    promise: 'a chat is deleted in its own project only',
    noun: 'chatErasure',
    breaks: instead('chats', ({ chats }) => ({
      delete: async (project, uuid) => chats.delete((await chats.get(uuid))?.project ?? project, uuid),
    })),
  },
  {
    promise: 'a deleted chat takes its messages with it',
    noun: 'chatErasure',
    breaks: (good) => {
      const kept = new Map<string, ChatMessage | null>()
      return instead('chats', ({ chats }) => ({
        delete: async (project, uuid) => {
          for (const message of await chats.messages(uuid)) kept.set(message.uuid, message)
          return chats.delete(project, uuid)
        },
        message: async (uuid) => (await chats.message(uuid)) ?? kept.get(uuid) ?? null,
      }))(good)
    },
  },
  {
    promise: 'all chats of a person go, however many',
    noun: 'chatErasure',
    breaks: instead('chats', ({ chats }) => ({
      deleteByEmail: async (project, email) => {
        const { rows } = await chats.list(project, { offset: 0, limit: 100 })
        const found = rows.filter((chat) => chat.email === email)
        for (const chat of found) await chats.delete(project, chat.uuid)
        return found.length
      },
    })),
  },
  {
    promise: 'the time before which chats go is not in it',
    noun: 'chatErasure',
    breaks: instead('chats', ({ chats }) => ({
      expire: (project, before, limit) => chats.expire(project, `${before}~`, limit),
    })),
  },
  {
    promise: 'chats go by their last change, not their beginning',
    noun: 'chatErasure',
    breaks: instead('chats', ({ chats }) => ({
      expire: async (project, before, limit) => {
        const { rows } = await chats.list(project, { offset: 0, limit: 100 })
        const old = rows.filter((chat) => chat.createdAt < before).slice(0, limit)
        for (const chat of old) await chats.delete(project, chat.uuid)
        return old.length
      },
    })),
  },
  {
    promise: 'no more chats go at once than asked for',
    noun: 'chatErasure',
    breaks: instead('chats', ({ chats }) => ({
      expire: (project, before) => chats.expire(project, before, 100),
    })),
  },
  {
    promise: 'a deleted project takes its chats with it',
    noun: 'chatErasure',
    breaks: (good) => {
      const kept = new Map<string, ChatMessage[]>()
      return {
        ...good,
        projects: {
          ...good.projects,
          delete: async (uuid) => {
            for (const chat of (await good.chats.list(uuid, { offset: 0, limit: 100 })).rows)
              kept.set(chat.uuid, await good.chats.messages(chat.uuid))
            return good.projects.delete(uuid)
          },
        },
        chats: { ...good.chats, messages: async (chat) => kept.get(chat) ?? good.chats.messages(chat) },
      }
    },
  },
  {
    promise: 'projects that keep chats for ever are not among those that do not',
    noun: 'projects',
    breaks: instead('projects', ({ projects }) => ({
      retaining: async () => (await projects.list('t1', null, { offset: 0, limit: 100 })).rows,
    })),
  },
  {
    promise: 'a window is fixed: it does not slide on',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({
      hit: async (key, windowMs, now) => ({
        ...(await limits.hit(key, windowMs, now)),
        endsAt: now + windowMs,
      }),
    })),
  },
  {
    promise: 'a window ends',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({ hit: (key, windowMs) => limits.hit(key, windowMs, 1_000) })),
  },
  {
    promise: 'every key counts for itself',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({
      hit: (_key, windowMs, now) => limits.hit('', windowMs, now),
    })),
  },
  {
    promise: 'what is taken back does not count',
    noun: 'limits',
    breaks: instead('limits', () => ({ takeBack: async () => {} })),
  },
  {
    promise: 'nothing is taken back from a window that has ended',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({ takeBack: (key) => limits.takeBack(key, 0) })),
  },
  {
    promise: 'messages at once are all counted',
    noun: 'limits',
    breaks: (good) => {
      let count = 0
      return instead('limits', ({ limits }) => ({
        hit: async (key, windowMs, now) => {
          const before = count
          const { count: good, endsAt } = await limits.hit(key, windowMs, now)
          count = good === 1 ? 1 : before + 1
          return { count, endsAt }
        },
      }))(good)
    },
  },
  {
    promise: 'a block is never shortened',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({
      block: async (key, until) => {
        await limits.prune(Number.MAX_SAFE_INTEGER)
        await limits.block(key, until)
      },
    })),
  },
  {
    promise: 'a block that has ended is not listed',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({ blocks: (_after, limit) => limits.blocks(0, limit) })),
  },
  {
    promise: 'the latest blocks are listed first',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({
      blocks: async (after, limit) => (await limits.blocks(after, 1_000)).toReversed().slice(0, limit),
    })),
  },
  {
    promise: 'no more blocks are listed than asked for',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({ blocks: (after) => limits.blocks(after, 1_000) })),
  },
  {
    promise: 'an ended window is forgotten',
    noun: 'limits',
    breaks: instead('limits', () => ({ prune: async () => {} })),
  },
  {
    promise: 'an open window is not forgotten',
    noun: 'limits',
    breaks: instead('limits', ({ limits }) => ({ prune: () => limits.prune(Number.MAX_SAFE_INTEGER) })),
  },
]
