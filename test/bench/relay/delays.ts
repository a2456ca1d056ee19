// What Lectern adds to a model's own times: a real process, an OpenAI-compatible server beside it that stamps its
// tokens, and readers that compare the stamps with their own clock, which is the same (hrtime is the machine's).
import { setTimeout as pause } from 'node:timers/promises'
import { type Harbor, openHarbor } from '../../e2e/harbor.ts'
import type { Table } from '../report.ts'
import { percentile } from '../statistics.ts'
import { fromNewAddress, openApp, toMessage } from './app.ts'
import { openFrameCounter } from './frame-counter.ts'
import { readStamp } from './stamp.ts'

const chats = 200
/** Of each chat, at two paces: about as models write, and twice that. */
const paces = [
  { tokenEveryMs: 100, tokens: 60 },
  { tokenEveryMs: 50, tokens: 120 },
]
/** All chats have begun before the first ends. */
const beginEveryMs = 12

interface Delays {
  /** From sending to the first token, without the model's time and the search; milliseconds. */
  first: number[]
  /** From a token's being written by the model to its being read; milliseconds. */
  token: number[]
}

export async function measureDelays(): Promise<Table> {
  const rows: Table['rows'] = []
  for (const { tokenEveryMs, tokens } of paces) {
    const model = await openApp<{ url: string }>('model-app.ts', [tokens, tokenEveryMs])
    const harbor = await openHarbor({
      LECTERN_LLM_URL: model.ready.url,
      LECTERN_LLM_MODEL: 'paced',
      LECTERN_TRUST_PROXY: '127.0.0.1',
    })
    // The first time warms up.
    await chatAll(harbor)
    const { first, token } = await chatAll(harbor)
    await harbor.close()
    model.close()
    const pace = `${Math.round((chats * 1000) / tokenEveryMs)} tokens/s`
    rows.push(toRow(pace, 'first token, over model and search', first), toRow(pace, 'each token', token))
  }
  return { title: `Added delay in ms, ${chats} live chats with a model over HTTP`, rows }
}

function toRow(together: string, what: string, values: number[]): Table['rows'][number] {
  const at = (share: number) => percentile(values, share)
  return { together, what, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

async function chatAll(harbor: Harbor): Promise<Delays> {
  const delays: Delays = { first: [], token: [] }
  const chatting: Promise<void>[] = []
  for (let chat = 0; chat < chats; chat++) {
    chatting.push(chatOnce(Number(new URL(harbor.lectern.baseUrl).port), delays))
    await pause(beginEveryMs)
  }
  await Promise.all(chatting)
  return delays
}

async function chatOnce(port: number, delays: Delays): Promise<void> {
  const answered = Promise.withResolvers<void>()
  let sent = 0n
  let searchBegan = 0n
  let search = 0n
  let isFirst = true
  const reader = await openFrameCounter(port, '/ws/messages/harbor/', fromNewAddress(), (payload) => {
    const now = process.hrtime.bigint()
    const frame = payload.toString('latin1')
    const [, written, came] = /"message":"([a-p]{8,}) ([a-p]{8,})/.exec(frame) ?? []
    if (frame.includes('"isPartial":false')) answered.resolve()
    else if (frame.includes('"stage":"searching_docs","state":"started"')) searchBegan = now
    else if (frame.includes('"stage":"searching_docs","state":"completed"')) search += now - searchBegan
    else if (written && came) {
      const onTheWay = now - readStamp(written)
      delays.token.push(toMs(onTheWay))
      if (isFirst) delays.first.push(toMs(readStamp(came) - sent - search + onTheWay))
      isFirst = false
    }
  })
  sent = process.hrtime.bigint()
  reader.send(toMessage('How do I install Harbor on Linux?'))
  await answered.promise
  reader.close()
}

function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6
}
