// The delay added to a model's own times while 144 chats are live: by the relay alone, with a script in the core, and by the
// complete product, with an OpenAI-compatible server. Tokens are stamped when they are written; readers compare
// the stamps with the same clock (hrtime is the machine's).
import { setTimeout as pause } from 'node:timers/promises'
import { addHarborProject, openHarbor } from '../../e2e/harbor.ts'
import type { Table } from '../report.ts'
import { percentile } from '../statistics.ts'
import { fromNewAddress, openApp, toMessage } from './app.ts'
import { readCpuTime } from './cpu.ts'
import { openFrameCounter } from './frame-counter.ts'
import { readStamps } from './stamp.ts'

/** Slightly fewer than a process accepts from readers without a key (160), because a turn ends a little after its last frame. */
const chats = 144
/** A project accepts 16 turns of such readers at a time. */
const projects = 12
/** The model's time for an answer: with 144 of them live, 12 begin and end each second. */
const answerMs = 12_000
/** Milliseconds per token: about the speed of models, and twice as fast. */
const paces = [100, 50]

interface Delays {
  /** From sending to the first token, without the model's time and the search; milliseconds. */
  first: number[]
  /** From the model's write of a token to its read; milliseconds. */
  token: number[]
}

/** Measurements of a process. */
interface Measured {
  pid: number
  port: number
  /** The projects whose readers chat, in turn. */
  slugs: string[]
  message: string
}

export async function measureDelays(): Promise<Table[]> {
  const delays: Table['rows'] = []
  const costs: Table['rows'] = []
  for (const tokenEveryMs of paces) {
    const pace = [answerMs / tokenEveryMs, tokenEveryMs] as const
    const together = `${Math.round((chats * 1000) / tokenEveryMs)} tokens/s`
    const relay = await openApp<{ port: number }>('lectern-app.ts')
    const { port } = relay.ready
    const ofRelay = await measureAtPace({
      pid: relay.pid,
      port,
      slugs: ['open'],
      message: `pace ${pace.join(' ')}`,
    })
    relay.close()
    const ofProduct = await measureProduct(pace)
    delays.push(
      toRow(together, 'relay alone, first token', ofRelay.first),
      toRow(together, 'relay alone, each token', ofRelay.token),
      toRow(together, 'product, first token, over model and search', ofProduct.first),
      toRow(together, 'product, each token', ofProduct.token),
    )
    costs.push(
      { together, what: 'relay alone', ...ofRelay.cost },
      { together, what: 'product, its turns and searches in it', ...ofProduct.cost },
    )
  }
  return [
    { title: `Added delay in ms, ${chats} live chats`, rows: delays },
    { title: 'Processor time a token in µs', rows: costs },
  ]
}

async function measureProduct(pace: readonly number[]) {
  const model = await openApp<{ url: string }>('model-app.ts', [...pace])
  const harbor = await openHarbor({
    LECTERN_LLM_URL: model.ready.url,
    LECTERN_LLM_MODEL: 'paced',
    LECTERN_TRUST_PROXY: '127.0.0.1',
  })
  const port = Number(new URL(harbor.lectern.baseUrl).port)
  const pid = harbor.lectern.process.pid!
  const message = 'How do I install Harbor on Linux?'
  const slugs = Array.from({ length: projects }, (_, at) => `harbor-${at}`)
  for (const slug of slugs) await addHarborProject(harbor, slug)
  const measured = await measureAtPace({ pid, port, slugs, message })
  await harbor.close()
  model.close()
  return measured
}

function toRow(together: string, what: string, values: number[]): Table['rows'][number] {
  const at = (share: number) => percentile(values, share)
  return { together, what, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Chats begin in sequence until all are live; from then on, measurements count for the time of an answer. */
async function measureAtPace(measured: Measured) {
  const rampUp: Delays = { first: [], token: [] }
  const counted: Delays = { first: [], token: [] }
  const begun = performance.now()
  const isOver = () => performance.now() - begun > 2 * answerMs
  const seen = () => (performance.now() - begun > answerMs && !isOver() ? counted : rampUp)

  async function chatOnAndOn(slug: string): Promise<void> {
    while (!isOver()) await chatOnce(measured, slug, seen)
  }

  const chatting: Promise<void>[] = []
  for (let chat = 0; chat < chats; chat++) {
    chatting.push(chatOnAndOn(measured.slugs[chat % measured.slugs.length]!))
    await pause(answerMs / chats)
  }
  const tokens = counted.token.length
  const before = await readCpuTime(measured.pid)
  await pause(begun + 2 * answerMs - performance.now())
  const after = await readCpuTime(measured.pid)
  const perToken = (name: 'main' | 'all') => (after[name] - before[name]) / (counted.token.length - tokens)
  await Promise.all(chatting)
  return { ...counted, cost: { 'main thread': perToken('main'), 'all threads': perToken('all') } }
}

async function chatOnce({ port, message }: Measured, slug: string, seen: () => Delays): Promise<void> {
  const answered = Promise.withResolvers<void>()
  let sent = 0n
  let searchBegan = 0n
  let search = 0n
  let isAnswered = false
  const reader = await openFrameCounter(port, `/ws/messages/${slug}/`, fromNewAddress(), (payload) => {
    const now = process.hrtime.bigint()
    const frame = payload.toString('latin1')
    if (frame.includes('"isPartial":false')) {
      if (isAnswered) answered.resolve()
      else answered.reject(new Error(`the turn was refused: ${frame}`))
      return
    }
    if (frame.includes('"stage":"searching_docs","state":"started"')) searchBegan = now
    else if (frame.includes('"stage":"searching_docs","state":"completed"')) search += now - searchBegan
    for (const { written, came } of readStamps(frame)) {
      isAnswered = true
      const onTheWay = now - written
      seen().token.push(toMs(onTheWay))
      if (came) seen().first.push(toMs(came - sent - search + onTheWay))
    }
  })
  sent = process.hrtime.bigint()
  reader.send(toMessage(message))
  await answered.promise
  reader.close()
}

function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6
}
