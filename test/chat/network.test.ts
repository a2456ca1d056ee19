// Turns over a real connection: when the caller disconnects, the model's call ends, over any protocol.
import { createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { afterAll, expect, test } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { openCoreServer } from '../../services/server/core-server.ts'
import { answers } from '../model/scripts.ts'
import { note, openTurnLab, type ReceivedTurn, read } from './turn-lab.ts'

const lab = await openTurnLab({ silence: 60 })
lab.pages.set('timeouts', { title: 'Timeouts', text: 'A request is given up after thirty seconds.' })
const server = await openCoreServer(lab.core, { address: { host: '127.0.0.1', port: 0 }, backends: {} })
afterAll(async () => {
  await server.close(0)
  await lab.close()
})

const question = { slug: 'docs', message: 'When is a request given up?' }

const baseUrl = () => `http://127.0.0.1:${server.port}`

const transports = {
  gRPC: () => createGrpcTransport({ baseUrl: baseUrl() }),
  'gRPC-Web': () => createGrpcWebTransport({ baseUrl: baseUrl(), httpVersion: '1.1' }),
  Connect: () => createConnectTransport({ baseUrl: baseUrl(), httpVersion: '1.1' }),
}

test.each(Object.entries(transports))(
  'cancels the model’s call when a reader disconnects, over %s',
  async (_name, open) => {
    const client = createClient(ChatService, open())
    lab.provider.chat.play(answers('Thirty seconds [1].'))
    const whole = await read(client.sendMessage(question))
    expect(whole.draft).toBe('Thirty seconds [1].')
    expect(whole.finals).toHaveLength(1)

    const leaving = new AbortController()
    const held = lab.provider.chat.hold()
    const received: ReceivedTurn = { events: [], draft: '', finals: [] }
    const reading = (async () => {
      for await (const { event } of client.sendMessage(question, { signal: leaving.signal }))
        note(received, event!)
    })()
    reading.catch(() => {})
    const call = await held
    await call.token('Thirty')
    await expect.poll(() => received.draft).toBe('Thirty')
    leaving.abort()
    expect(await call.closed).toBe('aborted')
    const chat = received.events.flatMap(({ event }) =>
      event.case === 'token' ? [event.value.chatUuid] : [],
    )[0]!
    await expect
      .poll(async () => (await lab.stored(chat)).answer)
      .toMatchObject({ content: 'Thirty', stopReason: 'disconnected' })
  },
)
