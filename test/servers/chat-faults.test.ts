// Turns while MongoDB hangs or its replies are lost: what a reader received without an error is stored.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { StopReason } from '../../gen/lectern/v1/turn_pb.js'
import { note, openTurnLab, type ReceivedTurn } from '../chat/turn-lab.ts'
import { answers, cutByLength } from '../model/scripts.ts'
import { serversAvailable } from './available.ts'
import { type FerretdbServer, openFerretdb } from './ferretdb.ts'
import { openToxiproxy, type Toxiproxy } from './toxiproxy.ts'

const question = 'When is a request given up?'
const text = 'A request is given up after thirty seconds [1].'

describe.skipIf(!serversAvailable)('MongoDB faults in a turn', () => {
  let server: FerretdbServer
  let toxiproxy: Toxiproxy
  let line: Awaited<ReturnType<Toxiproxy['before']>>
  let lab: Awaited<ReturnType<typeof openTurnLab>>
  let labs = 0
  beforeAll(async () => {
    ;[server, toxiproxy] = await Promise.all([openFerretdb(), openToxiproxy()])
    line = await toxiproxy.before(server.port)
  })
  afterAll(() => Promise.all([toxiproxy?.remove(), server?.remove()]))
  beforeEach(async () => {
    lab = await openTurnLab({ mongodb: `mongodb://127.0.0.1:${line.port}/lab${labs++}` })
    lab.pages.set('timeouts', { title: 'Timeouts', text: 'A request is given up after thirty seconds.' })
  })
  afterEach(async () => {
    // A failed test may have left it paused.
    server.resume()
    await lab.close()
  })

  /** Starts a turn whose answer lacks only its end; `end` ends it and returns the reader's final event. */
  async function begin(stream: AsyncIterable<{ event?: ReceivedTurn['events'][number] | undefined }>) {
    const held = lab.provider.chat.hold()
    const received: ReceivedTurn = { events: [], draft: '', finals: [] }
    const read = (async () => {
      for await (const { event } of stream) note(received, event!)
    })()
    const call = await held
    await call.token(text)
    return async () => {
      await call.end('stop')
      await read
      return received.finals[0]!
    }
  }

  const send = () => lab.client.sendMessage({ slug: 'docs', message: question, progress: true })
  const interrupted = {
    interrupted: true,
    retryable: true,
    aiMessage: { message: text, stopReason: StopReason.INTERRUPTED, incomplete: true },
  }
  const contents = async (chat: string) => (await lab.stored(chat)).messages.map(({ content }) => content)

  test('reports a hang before the answer is stored, and continues after recovery', async () => {
    const end = await begin(send())
    await server.pause()
    const final = await end()
    expect(final).toMatchObject(interrupted)
    expect(final.outcome).toBeUndefined()
    server.resume()
    lab.provider.chat.play(answers(text))
    const { chatUuid, restoreToken } = final
    const next = await again(() => lab.send(question, { chatUuid, restoreToken }))
    expect(next.finals[0]!.aiMessage).toMatchObject({ stopReason: StopReason.STOP, incomplete: false })
    expect((await contents(chatUuid)).slice(-2)).toEqual([question, text])
  })

  test('reports an interrupted turn if the reply is lost after the answer was stored', async () => {
    const end = await begin(send())
    const lose = await line.add({ type: 'timeout', attributes: { timeout: 0 } })
    const final = await end()
    expect(final).toMatchObject(interrupted)
    await lose()
    expect([[question], [question, text]]).toContainEqual(await again(() => contents(final.chatUuid)))
  })

  test('reports a hang while an answer is continued, and keeps the first part', async () => {
    for (let tries = 0; tries < 4; tries++) lab.provider.chat.play(cutByLength('A request'))
    const { finals } = await lab.send(question)
    const { chatUuid, restoreToken, aiMessage } = finals[0]!
    const end = await begin(
      lab.client.continueMessage({ chatUuid, restoreToken, continueMessageId: aiMessage!.messageId }),
    )
    await server.pause()
    const final = await end()
    expect(final).toMatchObject({ interrupted: true, aiMessage: { incomplete: true } })
    expect(final.aiMessage!.continuationAvailable).toBe(false)
    server.resume()
    expect((await again(() => contents(chatUuid)))[1]).toMatch(/^A request/u)
  })

  /** Retries like a reader who received an unavailable error. */
  async function again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    let answer: Answer
    await expect.poll(async () => (answer = await ask())).toBeDefined()
    return answer!
  }
})
