// If a project has allowed domains, the Origin of a caller without a key is checked, too: over REST,
// on the socket, and over gRPC-Web and Connect at the core's own port.
import { randomBytes, randomUUID } from 'node:crypto'
import { ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { afterAll, expect, test } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { createKey, hashKey } from '../../services/key/key-format.ts'
import { openCoreServer } from '../../services/server/core-server.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import { key } from '../contract/store-case.ts'
import { openChat } from '../e2e/gateway/chat-client.ts'
import { openTestGateway } from '../e2e/gateway/lectern-gateway.ts'
import { openTurnLab, read } from './turn-lab.ts'

const lab = await openTurnLab()
const fenced = { ...lab.project, uuid: 'p2', slug: 'fenced', allowedDomains: ['docs.example.com'] }
await lab.store.projects.insert(fenced)
const server = await openCoreServer(lab.core, { address: { host: '127.0.0.1', port: 0 }, backends: {} })
const gateway = await openTestGateway({
  transport: createInMemoryTransport(lab.core),
  attestOrigin: lab.sign,
})
afterAll(async () => {
  await gateway.close()
  await server.close(0)
  await lab.close()
})

const message = { message: 'Cake?', url: 'https://docs.example.com/a' }
const evil = 'https://evil.example'

async function overRest(slug: string, headers: Record<string, string>, body = message) {
  const sent = { authorization: '', ...headers }
  const answer = await gateway.ask('POST', `/api/v2/projects/${slug}/chats/`, body, sent)
  const { code } = (await answer.json()) as { code?: string }
  return code ?? answer.status
}

async function overSocket(headers: Record<string, string>) {
  const chat = await openChat(`ws://127.0.0.1:${gateway.port}/ws/messages/fenced/`, headers)
  const { stopReason } = await chat.ask(message)
  chat.close()
  return stopReason
}

test.each([
  ['an allowed page', 'https://docs.example.com', 201, 'stop'],
  ['another port of its host', 'http://docs.example.com:8443', 201, 'stop'],
  ['no page', '', 201, 'stop'],
  ['another site with an allowed url', evil, 'domain_not_allowed', 'domain_not_allowed'],
  ['a page with an opaque origin', 'null', 'domain_not_allowed', 'domain_not_allowed'],
])('chat from %s', async (_what, origin, rest, socket) => {
  const headers: Record<string, string> = origin === '' ? {} : { origin }
  expect(await overRest('fenced', headers)).toBe(rest)
  expect(await overSocket(headers)).toBe(socket)
})

test('does not check the origin for a project without allowed domains', async () => {
  expect(await overRest('docs', { origin: evil })).toBe(201)
})

test('accepts a socket from another site and rejects each message', async () => {
  const chat = await openChat(`ws://127.0.0.1:${gateway.port}/ws/messages/fenced/`, { origin: evil })
  for (let sent = 0; sent < 2; sent++)
    expect(await chat.ask(message)).toMatchObject({ stopReason: 'domain_not_allowed' })
  chat.close()
})

test('checks only the url for a key that may chat', async () => {
  const text = createKey(randomBytes)
  await lab.store.keys.insert(key(text, { hash: hashKey(text), permissions: ['chats_create'] }))
  const headers = { origin: evil, authorization: `Api-Key ${text}` }
  expect(await overRest('fenced', headers)).toBe(201)
  expect(await overRest('fenced', headers, { ...message, url: `${evil}/a` })).toBe('domain_not_allowed')
})

test('accepts Lectern’s own pages', async () => {
  expect(await overRest('fenced', { origin: gateway.url })).toBe(201)
  expect(await overSocket({ origin: gateway.url })).toBe('stop')
})

test('checks the header at the core’s own port', async () => {
  const baseUrl = `http://127.0.0.1:${server.port}`
  for (const open of [createGrpcWebTransport, createConnectTransport]) {
    const client = createClient(ChatService, open({ baseUrl, httpVersion: '1.1' }))
    const ask = (origin: string) =>
      read(client.sendMessage({ slug: 'fenced', ...message }, { headers: { origin } }))
    expect(await reasonOf(ask(evil))).toBe('domain_not_allowed')
    expect(await reasonOf(ask('https://docs.example.com'))).toBeNull()
  }
})

test('checks a request whose project is known only from its chat', async () => {
  const { finals } = await lab.send('Cake?', { slug: 'fenced', url: message.url })
  const { chatUuid, restoreToken } = finals[0]!
  const { client } = lab
  const headers = { origin: evil }
  const messageUuid = finals[0]!.aiMessage!.messageId
  expect(
    await reasonOf(lab.send('Cake?', { chatUuid, restoreToken, slug: '', url: message.url }, { headers })),
  ).toBe('domain_not_allowed')
  for (const call of [
    client.getChat({ chatUuid, restoreToken }, { headers }),
    client.submitFeedback({ messageUuid, restoreToken, reaction: 1 }, { headers }),
  ]) {
    expect(await reasonOf(call)).toBe('domain_not_allowed')
  }
  // Without a restore token, the origin is not reported either.
  expect(await reasonOf(client.getChat({ chatUuid: randomUUID(), restoreToken }, { headers }))).toBe(
    'not_found',
  )
})

async function reasonOf(call: PromiseLike<unknown>) {
  try {
    await call
    return null
  } catch (error) {
    return ConnectError.from(error).findDetails(ErrorDetailSchema)[0]?.reason
  }
}
