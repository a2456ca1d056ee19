// RPCs on a chat or a message that name no project: the chat tells it, and whoever has no authority over it learns
// nothing, not even that there is one.
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { openChatLab, teams } from '../e2e/chat-lab.ts'

let lab: Awaited<ReturnType<typeof openChatLab>>
const chats: Record<string, string> = {}
const keys: Record<string, string> = { nobody: '' }
beforeAll(async () => {
  lab = await openChatLab()
  for (const slug of ['open', 'closed', 'foreign']) chats[slug] = await lab.makeChat(slug)
  const make = async (permissions: string[], team = teams.red) =>
    `Api-Key ${await lab.makeKey({ permissions, team })}`
  keys.admin = lab.authorization
  keys.reader = await make(['chats_read'])
  keys.writer = await make(['chats_create'])
  keys.stranger = await make(['chats_read', 'chats_create'], teams.blue)
})
afterAll(() => lab.close())

/** `ok`, or code and sentence of the refusal. */
async function outcome(call: PromiseLike<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error)
    return `${Code[code]}: ${rawMessage}`
  }
}

const noChat = 'NotFound: There is no such chat.'
const noMessage = 'NotFound: There is no such message.'

describe('reading and rating', () => {
  it.each<[string, string, string, string]>([
    ['nobody', 'open', noChat, 'ok'],
    ['nobody', 'closed', noChat, noMessage],
    ['nobody', 'none', noChat, noMessage],
    ['reader', 'open', 'ok', 'ok'],
    ['reader', 'closed', 'ok', noMessage],
    ['reader', 'foreign', noChat, noMessage],
    ['writer', 'open', noChat, 'ok'],
    ['writer', 'closed', noChat, 'ok'],
    ['stranger', 'open', noChat, 'ok'],
    ['stranger', 'closed', noChat, noMessage],
    ['stranger', 'foreign', 'ok', 'ok'],
    ['admin', 'closed', 'ok', 'ok'],
    ['admin', 'foreign', noChat, noMessage],
    ['admin', 'none', noChat, noMessage],
  ])('%s, a chat of %s', async (key, slug, read, rated) => {
    const client = createClient(ChatService, lab.transport)
    const headers = keys[key] ? { authorization: keys[key] } : {}
    const chatUuid = chats[slug] ?? 'none'
    expect(await outcome(client.getChat({ chatUuid }, { headers }))).toBe(read)
    const message = { messageUuid: `answer of ${chatUuid}`, reaction: 1 }
    expect(await outcome(client.submitFeedback(message, { headers }))).toBe(rated)
  })

  it.each(['open', 'closed', 'foreign'])('the restore token is enough, %s', async (slug) => {
    const client = createClient(ChatService, lab.transport)
    const [chatUuid, restoreToken] = [chats[slug]!, lab.tokens.of(chats[slug]!)]
    const { conversation } = await client.getChat({ chatUuid, restoreToken })
    expect(conversation?.messages).toHaveLength(2)
    const message = { messageUuid: `answer of ${chatUuid}`, reaction: 0, restoreToken }
    expect(await outcome(client.submitFeedback(message))).toBe('ok')
    expect(await outcome(client.getChat({ chatUuid, restoreToken: `${restoreToken}x` }))).toBe(noChat)
  })
})

it('listing, deleting and erasing name their project', async () => {
  const client = createClient(ChatService, lab.transport)
  const headers = { authorization: keys.admin! }
  const refused = 'InvalidArgument: slug is required.'
  expect(await outcome(client.listChats({}, { headers }))).toBe(refused)
  expect(await outcome(client.deleteChat({ chatUuid: chats.open! }, { headers }))).toBe(refused)
  expect(await outcome(client.deleteChatsByEmail({ email: 'ann@docs.test' }, { headers }))).toBe(refused)
  expect(await lab.store.chats.get(chats.open!)).not.toBeNull()
})
