// A gateway over ChatService and an in-memory store, with the public project `open`, the private `closed` and, in
// another team, `foreign`. Tests insert chats into the store in the form that a turn writes.
import { randomBytes, randomUUID } from 'node:crypto'
import { createChatAccess, createRestoreTokens } from '../../services/chat/chat-access.ts'
import { createChatService } from '../../services/chat/chat-service.ts'
import { createNetworkKey } from '../../services/limit/network-key.ts'
import type { Chat } from '../../services/store/chat.ts'
import { project } from '../contract/store-case.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import { openRestLab } from './rest-lab.ts'

export type Ask = { body?: unknown; key?: string; token?: string }

/** The response for a chat that the caller cannot see. */
export const unknownChat = { status: 404, body: { error: 'There is no such chat.', code: 'not_found' } }

export async function openChatLab() {
  const secret = randomBytes(32).toString('base64')
  const tokens = createRestoreTokens(secret)
  const networkKey = createNetworkKey(secret)
  const lab = await openRestLab(({ store, now }) => {
    // `on` affects v1 and the socket only. Tests verify that REST v2 ignores it.
    const access = createChatAccess({ store, tokens, networkKey, legacyChats: 'on', now })
    return { chat: createChatService({ store, access }) }
  })
  const { store, team, close } = lab
  for (const [slug, change] of Object.entries({
    open: { team, isPrivate: false },
    closed: { team, isPrivate: true },
    foreign: { team: 'of others', isPrivate: true },
  }))
    await store.projects.insert(project(slug, { slug, allowedDomains: [], ...change }))

  return {
    ...{ store, team, tokens, close, url: lab.gateway.url },

    /** Creates a chat of one turn, `question of <chat>` and `answer of <chat>`. */
    async makeChat(slug: string, change: Partial<Chat> = {}): Promise<string> {
      const uuid = randomUUID()
      await store.chats.insert(chat(uuid, { project: slug, ...change }))
      const asked = question(0, { uuid: `question of ${uuid}`, chat: uuid })
      await store.chats.append(asked, null, null)
      await store.chats.append(answer(1, { uuid: `answer of ${uuid}`, chat: uuid }), trace(), null)
      return uuid
    },

    /** Returns status and body; with the admin key by default, another key, or none (''). */
    ask: (method: string, path: string, { body, key, token }: Ask = {}) =>
      lab.ask(method, `projects/${path}`, body, key, {
        ...(token !== undefined && { 'x-chat-restore-token': token }),
      }),
  }
}
