// Message limits count the same on every surface: over REST, over gRPC and Connect at the core's own port, and over the
// socket, in shared windows.
import { randomBytes } from 'node:crypto'
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { createKey, hashKey } from '../../services/key/key-format.ts'
import { type CoreServer, openCoreServer } from '../../services/server/core-server.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import type { MessagePage } from '../../services/store/chat-store.ts'
import { key } from '../contract/store-case.ts'
import { type ChatClient, openChat } from '../e2e/gateway/chat-client.ts'
import { openTestGateway, type TestGateway } from '../e2e/gateway/lectern-gateway.ts'
import { answers, cutByLength } from '../model/scripts.ts'
import { openTurnLab, read } from './turn-lab.ts'

let lab: Awaited<ReturnType<typeof openTurnLab>>
let server: CoreServer
let gateway: TestGateway
let grpc: Client<typeof ChatService>
let connect: Client<typeof ChatService>
/** Held searches wait for it. */
let held: PromiseWithResolvers<void>
beforeEach(async () => {
  held = Promise.withResolvers()
  lab = await openTurnLab()
  server = await openCoreServer(lab.core, { address: { host: '127.0.0.1', port: 0 }, backends: {} })
  gateway = await openTestGateway({ transport: createInMemoryTransport(lab.core), attestOrigin: lab.sign })
  const baseUrl = `http://127.0.0.1:${server.port}`
  grpc = createClient(ChatService, createGrpcTransport({ baseUrl }))
  connect = createClient(ChatService, createConnectTransport({ baseUrl, httpVersion: '1.1' }))
})
afterEach(async () => {
  held.resolve()
  await gateway.close()
  await server.close(0)
  await lab.close()
})

/** Each counts as a message, and is rejected before it costs anything: by the gateway, by the contract, by the handler. */
const refusedBodies = ['{', { nmae: 1 }, { message: 'x'.repeat(1_001) }, { message: ' ' }]

async function overRest(
  body: unknown,
  headers: Record<string, string> = {},
  path = '/api/v2/projects/docs/chats/',
) {
  const sent = { authorization: '', ...headers }
  const answer = await gateway.ask('POST', path, body, sent)
  const { code } = (await answer.json()) as { code?: string }
  return { status: answer.status, code, wait: Number(answer.headers.get('retry-after')) }
}

/** Reason and seconds to wait of the rejection; null if there is none. */
async function refusalOf(events: Parameters<typeof read>[0]) {
  try {
    await read(events)
    return null
  } catch (caught) {
    const error = ConnectError.from(caught)
    const { reason } = error.findDetails(ErrorDetailSchema)[0]!
    return { code: error.code, reason, wait: Number(error.metadata.get('retry-after')) }
  }
}

const openSocket = (): Promise<ChatClient> => openChat(`ws://127.0.0.1:${gateway.port}/ws/messages/docs/`)

async function addKey(permissions: string[], team = 't1') {
  const text = createKey(randomBytes)
  await lab.store.keys.insert(key(text, { team, hash: hashKey(text), permissions }))
  return { authorization: `Api-Key ${text}` }
}

test('the 101st message per minute blocks its address on every surface, except with a key', async () => {
  const socket = await openSocket()
  for (let sent = 1; sent <= 25; sent++) {
    expect(await overRest(refusedBodies[sent % 4])).toMatchObject({ status: 400 })
    const message = sent % 2 ? ' ' : 'x'.repeat(1_001)
    expect(await refusalOf(grpc.sendMessage({ slug: 'docs', message }))).toMatchObject({ reason: 'invalid' })
    const lost = { slug: 'docs', chatUuid: 'none', message: 'Cake?' }
    expect(await refusalOf(connect.sendMessage(lost))).toMatchObject({ reason: 'not_found' })
    expect(await socket.ask('{')).toMatchObject({ stopReason: 'invalid_message' })
  }
  const refused = await overRest({ message: 'Cake?' })
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(refused.wait).toBeGreaterThan(3500)
  const rest = { slug: 'docs', chatUuid: 'none', continueMessageId: 'none' }
  for (const client of [grpc, connect]) {
    for (const call of [
      client.sendMessage({ slug: 'docs', message: 'Cake?' }),
      client.continueMessage(rest),
    ]) {
      const refusal = await refusalOf(call)
      expect(refusal).toMatchObject({ code: Code.ResourceExhausted, reason: 'rate_limited' })
      expect(refusal!.wait).toBeGreaterThan(3500)
    }
  }
  socket.send('{')
  expect(await socket.closed).toMatchObject({ code: 4429 })
  expect((await lab.store.chats.list('p1', { offset: 0, limit: 1 })).count).toBe(0)

  for (const body of refusedBodies) expect(await overRest(body)).toMatchObject({ status: 429 })

  const headers = await addKey(['chats_create'])
  for (const body of refusedBodies) expect(await overRest(body, headers)).toMatchObject({ status: 400 })
  expect(await overRest({ message: 'Cake?' }, headers)).toMatchObject({ status: 201 })
  expect(await refusalOf(grpc.sendMessage({ slug: 'docs', message: 'Cake?' }, { headers }))).toBeNull()
})

test('counts a rejected REST body once, whatever is wrong with it', async () => {
  const bodies: [unknown, Record<string, string>, number, string?][] = [
    ['{', {}, 400],
    [{ nmae: 1 }, {}, 400],
    [{ message: 'x'.repeat(1_001) }, {}, 400],
    [{ message: 'x'.repeat(1024 * 1024) }, {}, 413],
    [{ message: 'Cake?' }, { 'content-type': 'text/plain' }, 415],
    [{}, {}, 400, '/api/v1/chats/'],
  ]
  for (let sent = 1; sent <= 100; sent++) {
    const [body, headers, status, path] = bodies[sent % bodies.length]!
    expect(await overRest(body, headers, path), `message ${sent}`).toMatchObject({ status })
  }
  for (const [body, headers, , path] of bodies) {
    const { status, wait } = await overRest(body, headers, path)
    expect([status, wait > 3500]).toEqual([429, true])
  }
})

test('counts one wrong key in many messages as a single guess', async () => {
  await lab.store.projects.insert({ ...lab.project, uuid: 'p3', slug: 'closed', isPrivate: true })
  const headers = { authorization: `Api-Key ${createKey(randomBytes)}` }
  const send = (slug: string, sent: Record<string, string>) =>
    gateway.ask('POST', `/api/v2/projects/${slug}/chats/`, { message: 'Cake?' }, sent)
  for (let sent = 1; sent <= 40; sent++) expect((await send('docs', headers)).status).toBe(201)
  for (let sent = 1; sent <= 40; sent++) expect((await send('closed', headers)).status).toBe(401)
  const fresh = await addKey(['chats_create'])
  expect((await send('closed', fresh)).status).toBe(201)

  // A wrong key is checked twice on the way, and counts once.
  const guess = (): Record<string, string> => ({ authorization: `Api-Key ${createKey(randomBytes)}` })
  for (let sent = 2; sent <= 30; sent++) expect((await send('closed', guess())).status).toBe(401)
  expect((await send('closed', guess())).status).toBe(429)
})

test('does not block an address for attempts while the project is full', async () => {
  lab.search.meets = () => held.promise
  const turns = Array.from({ length: 20 }, () => lab.send('Cake?', {}, lab.admin))
  await expect.poll(() => lab.searched.length).toBe(20)
  for (let sent = 1; sent <= 110; sent++) {
    const { status, wait } = await overRest({ message: 'Cake?' })
    expect({ status, wait }).toEqual({ status: 429, wait: 5 })
  }
  held.resolve()
  await Promise.all(turns)
  expect(await overRest({ message: 'Cake?' })).toMatchObject({ status: 201 })
})

test('limits an address without a key to 8 concurrent turns, without affecting others', async () => {
  lab.search.meets = () => held.promise
  const turns = Array.from({ length: 8 }, () => overRest({ message: 'Cake?' }))
  await expect.poll(() => lab.searched.length).toBe(8)
  expect(await overRest({ message: 'Cake?' })).toMatchObject({ status: 429, wait: 5 })
  const other = lab.send('Cake?', {}, lab.caller('v2'))
  await expect.poll(() => lab.searched.length).toBe(9)
  const keyed = overRest({ message: 'Cake?' }, await addKey(['chats_create']))
  await expect.poll(() => lab.searched.length).toBe(10)
  held.resolve()
  for (const turn of [...turns, keyed]) expect(await turn).toMatchObject({ status: 201 })
  await other
})

test('exempts only keys that may chat with the project', async () => {
  const kinds = [
    {},
    { authorization: `Api-Key ${createKey(randomBytes)}` },
    await addKey(['search']),
    await addKey(['chats_create'], 't2'),
  ]
  for (const headers of kinds) {
    const { chatUuid, restoreToken } = (await lab.send('Cake?', {}, lab.admin)).finals[0]!
    // Only the chat identifies the project.
    const known = { chatUuid, restoreToken, message: 'Cake?' }
    for (let sent = 1; sent <= 15; sent++) await read(grpc.sendMessage(known, { headers }))
    expect(await refusalOf(grpc.sendMessage(known, { headers }))).toMatchObject({ reason: 'rate_limited' })
    expect(await refusalOf(grpc.sendMessage(known, lab.admin))).toBeNull()
  }
})

test('rejects the 16th message of a chat per minute, across surfaces', async () => {
  const { chatUuid, restoreToken } = (await lab.send('Cake?')).finals[0]!
  const known = { message: 'Cake?', chat_uuid: chatUuid }
  const token = { 'x-chat-restore-token': restoreToken }
  const socket = await openSocket()
  const onSocket = { message: 'Cake?', chatId: chatUuid, restoreToken }
  for (let sent = 2; sent <= 15; sent++) {
    if (sent % 3 === 0) expect(await overRest(known, token)).toMatchObject({ status: 200 })
    else if (sent % 3 === 1) expect(await socket.ask(onSocket)).toMatchObject({ stopReason: 'stop' })
    else await lab.send('Cake?', { chatUuid, restoreToken })
  }
  expect((await lab.stored(chatUuid)).messages).toHaveLength(30)
  const { status, wait } = await overRest(known, token)
  expect({ status, isWithin: wait > 0 && wait <= 60 }).toEqual({ status: 429, isWithin: true })
  expect(await socket.ask(onSocket)).toMatchObject({ stopReason: 'rate_limited' })
  const again = grpc.sendMessage({ chatUuid, restoreToken, message: 'Cake?' })
  expect(await refusalOf(again)).toMatchObject({ reason: 'rate_limited' })
  expect((await lab.stored(chatUuid)).messages).toHaveLength(30)
})

/** Creates a chat with this number of questions and answers. */
async function fill(questions: number) {
  const { chatUuid, restoreToken } = (await lab.send('Cake?')).finals[0]!
  const [asked, answer] = (await lab.stored(chatUuid)).messages
  for (let position = 2; position < 2 * questions; position++) {
    const message = { ...(position % 2 ? answer! : asked!), uuid: `${chatUuid} ${position}`, position }
    await lab.store.chats.append(message, null, null)
  }
  return { chatUuid, restoreToken }
}

test('a chat accepts 200 questions and rejects the next on every surface', async () => {
  const { chatUuid, restoreToken } = await fill(199)
  const known = { message: 'Cake?', chat_uuid: chatUuid }
  const token = { 'x-chat-restore-token': restoreToken }
  const twoAtOnce = [
    lab.send('Cake?', { chatUuid, restoreToken }),
    lab.send('Cake?', { chatUuid, restoreToken }),
  ]
  const outcomes = (await Promise.allSettled(twoAtOnce)).map(({ status }) => status)
  expect(outcomes.sort()).toEqual(['fulfilled', 'rejected'])
  const { messageCount } = (await lab.store.chats.get(chatUuid))!
  expect(messageCount).toBe(400)
  const searches = lab.searched.length

  expect(await overRest(known, token)).toMatchObject({ status: 409, code: 'chat_full' })
  const v1 = await gateway.ask('POST', '/api/v1/chats/', { ...known, project_slug: 'docs' }, token)
  expect([v1.status, await v1.json()]).toEqual([403, { error: expect.stringContaining('200 questions') }])
  const again = { chatUuid, restoreToken, message: 'Cake?' }
  for (const client of [grpc, connect])
    expect(await refusalOf(client.sendMessage(again))).toMatchObject({
      code: Code.FailedPrecondition,
      reason: 'chat_full',
    })
  const socket = await openSocket()
  const frame = await socket.ask({ message: 'Cake?', chatId: chatUuid, restoreToken })
  expect(frame).toMatchObject({ stopReason: 'chat_full', message: expect.stringContaining('200 questions') })
  expect(frame).not.toHaveProperty('messageId')
  expect((await lab.store.chats.get(chatUuid))!.messageCount).toBe(400)
  expect(lab.searched.length).toBe(searches)
})

test('a turn reads only the last eight messages of its chat, a continuation those before its answer', async () => {
  lab.pages.set('timeouts', { title: 'Timeouts', text: 'A request is given up after thirty seconds.' })
  const { chatUuid, restoreToken } = await fill(20)
  const read: [MessagePage | undefined, number][] = []
  const { messages } = lab.store.chats
  lab.store.chats.messages = async (chat, page) => {
    const rows = await messages(chat, page)
    read.push([page, rows.length])
    return rows
  }
  for (let tries = 0; tries < 4; tries++) lab.provider.chat.play(cutByLength('A request'))
  const { finals } = await lab.send('When is a request given up?', { chatUuid, restoreToken })
  lab.provider.chat.play(answers('is given up.'))
  await lab.goOn(finals[0]!)
  expect(read).toEqual([
    [{ limit: 8 }, 8],
    [{ limit: 9, below: 41 }, 9],
  ])
})

test('counts a continuation as a message', async () => {
  lab.pages.set('timeouts', { title: 'Timeouts', text: 'A request is given up after thirty seconds.' })
  for (let tries = 0; tries < 4; tries++) lab.provider.chat.play(cutByLength('A request'))
  const { finals } = await lab.send('When is a request given up?')
  const { chatUuid, restoreToken, aiMessage } = finals[0]!
  const rest = { chatUuid, restoreToken, continueMessageId: aiMessage!.messageId }
  for (let sent = 2; sent <= 15; sent++)
    await refusalOf(grpc.continueMessage({ ...rest, continueMessageId: 'x' }))
  const calls = lab.provider.chat.calls.length
  expect(await refusalOf(grpc.continueMessage(rest))).toMatchObject({ reason: 'rate_limited' })
  expect(lab.provider.chat.calls.length).toBe(calls)
})

test('limits a project to 20 concurrent turns, with or without a key', async () => {
  await lab.store.projects.insert({ ...lab.project, uuid: 'p2', slug: 'other' })
  let begun = 0
  lab.search.meets = () => {
    begun += 1
    return held.promise
  }
  const turns = Array.from({ length: 20 }, () => lab.send('Cake?', {}, lab.admin))
  await expect.poll(() => begun).toBe(20)
  const refused = await overRest({ message: 'Cake?' })
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(refused.wait).toBeGreaterThan(0)
  expect(await (await openSocket()).ask({ message: 'Cake?' })).toMatchObject({ stopReason: 'rate_limited' })
  expect(await refusalOf(grpc.sendMessage({ slug: 'docs', message: 'Cake?' }, lab.admin))).toMatchObject({
    code: Code.ResourceExhausted,
    reason: 'rate_limited',
  })
  const elsewhere = lab.send('Cake?', { slug: 'other' })
  await expect.poll(() => begun).toBe(21)
  held.resolve()
  await Promise.all([...turns, elsewhere])
  expect(await overRest({ message: 'Cake?' })).toMatchObject({ status: 201 })
})
