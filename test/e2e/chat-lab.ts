// A gateway over ChatService and a store in memory, with the public project `open`, the private ones `closed` and, of
// another team, `foreign`. Chats are put into the store as a turn leaves them.
import { randomBytes, randomUUID } from 'node:crypto'
import { createChatAccess, createRestoreTokens } from '../../services/chat/chat-access.ts'
import { createChatService } from '../../services/chat/chat-service.ts'
import { createNetworkKey } from '../../services/limit/network-key.ts'
import type { Chat } from '../../services/store/chat.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { at, project } from '../contract/store-case.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import { openTestGateway } from './gateway/lectern-gateway.ts'

export type Ask = { body?: unknown; key?: string; token?: string }

export const teams = { red: randomUUID(), blue: randomUUID() }

/** What a chat is that is not there for the caller. */
export const unknownChat = { status: 404, body: { error: 'There is no such chat.', code: 'not_found' } }

export async function openChatLab() {
  const store = await openSqliteStore(':memory:')
  await store.teams.insert({ uuid: teams.red, name: 'Red', createdAt: at(0) })
  await store.teams.insert({ uuid: teams.blue, name: 'Blue', createdAt: at(1) })
  for (const [slug, team, isPrivate] of [
    ['open', teams.red, false],
    ['closed', teams.red, true],
    ['foreign', teams.blue, true],
  ] as const) {
    await store.projects.insert(project(slug, { slug, team, isPrivate, allowedDomains: [] }))
  }
  const secret = randomBytes(32).toString('base64')
  const tokens = createRestoreTokens(secret)
  const networkKey = createNetworkKey(secret)
  // `on` is for v1 and the socket: that REST v2 takes no notice of it is part of the tests.
  const access = createChatAccess({ store, tokens, networkKey, legacyChats: 'on', now: () => new Date() })
  const gateway = await openTestGateway(
    {},
    { store, implementation: { chat: createChatService({ store, access }) } },
  )

  return {
    store,
    tokens,
    url: gateway.url,

    /** A chat of one turn, `question of <chat>` and `answer of <chat>`. */
    async makeChat(slug: string, change: Partial<Chat> = {}): Promise<string> {
      const uuid = randomUUID()
      await store.chats.insert(chat(uuid, { project: slug, ...change }))
      const asked = question(0, { uuid: `question of ${uuid}`, chat: uuid })
      await store.chats.append(asked, null, null)
      await store.chats.append(answer(1, { uuid: `answer of ${uuid}`, chat: uuid }), trace(), null)
      return uuid
    },

    /** Status and body; with the admin key, with another, or with none (''). */
    async ask(method: string, path: string, { body, key, token }: Ask = {}) {
      const headers = {
        ...(key !== undefined && { authorization: key && `Api-Key ${key}` }),
        ...(token !== undefined && { 'x-chat-restore-token': token }),
      }
      const response = await gateway.ask(method, `/api/v2/projects/${path}`, body, headers)
      const text = await response.text()
      // biome-ignore lint/suspicious/noExplicitAny: a body looked into at will
      return { status: response.status, body: (text && JSON.parse(text)) as any }
    },

    async close() {
      await gateway.close()
      await store.close()
    },
  }
}
