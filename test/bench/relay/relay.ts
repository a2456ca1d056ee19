// The way of a token from the core to the reader: frames a second against a bare uWebSockets.js app that sends the same
// frames, and what is added to each token's own time while 200 chats are live.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions } from '../bench.ts'
import type { Table } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { openFrameCounter } from './frame-counter.ts'

const floodSockets = 20
const framesEach = 20_000
const chats = 200
const tokensEach = 120
const tokenEveryMs = 50
/** All chats have begun before the first ends. */
const beginEveryMs = 10

interface App {
  port: number
  close(): void
}

export async function measureRelay({ rounds }: BenchOptions): Promise<Table[]> {
  const apps = {
    prepared: await openApp('raw-app.ts', [String(framesEach), 'prepared']),
    made: await openApp('raw-app.ts', [String(framesEach), 'made']),
    lectern: await openApp('lectern-app.ts', []),
  }
  const names = ['prepared', 'made', 'lectern'] as const
  const rates: Record<(typeof names)[number], number[]> = { prepared: [], made: [], lectern: [] }
  try {
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const name of names) {
        const rate = await measureRate(apps[name])
        if (round > 0) rates[name].push(rate)
      }
    }
    await measureDelays(apps.lectern)
    return [toRates(rates), toDelays(await measureDelays(apps.lectern))]
  } finally {
    for (const name of names) apps[name].close()
  }
}

async function openApp(entry: string, args: string[]): Promise<App> {
  const child = fork(new URL(entry, import.meta.url), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { port, close: () => void child.kill() }
}

let addresses = 0

/** A connection from an address of its own, so that no limit is met. */
function openReader(app: App, whenFrame?: (payload: Buffer) => void) {
  addresses++
  const address = `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
  return openFrameCounter(app.port, '/ws/messages/open/', { 'x-forwarded-for': address }, whenFrame)
}

const ask = (message: string) =>
  JSON.stringify({ message, requestId: 'relay', capabilities: ['activity.v1'] })

/** Partial frames a second, over all sockets. */
async function measureRate(app: App): Promise<number> {
  const readers = await Promise.all(Array.from({ length: floodSockets }, () => openReader(app)))
  const begun = performance.now()
  for (const reader of readers) reader.send(ask(`flood ${framesEach}`))
  await Promise.all(readers.map((reader) => reader.count(framesEach)))
  const seconds = (performance.now() - begun) / 1000
  for (const reader of readers) reader.close()
  return (floodSockets * framesEach) / seconds
}

interface Delays {
  /** From sending the message to the first token, without the script's own time; milliseconds. */
  first: number[]
  /** From a token's making to its being read; milliseconds. */
  token: number[]
}

async function measureDelays(app: App): Promise<Delays> {
  const delays: Delays = { first: [], token: [] }
  const chatting: Promise<void>[] = []
  for (let chat = 0; chat < chats; chat++) {
    chatting.push(chatOnce(app, delays))
    await pause(beginEveryMs)
  }
  await Promise.all(chatting)
  return delays
}

async function chatOnce(app: App, delays: Delays): Promise<void> {
  let sent = 0n
  let isFirst = true
  const reader = await openReader(app, (payload) => {
    const now = process.hrtime.bigint()
    const [, made, called] = /"message":"(\d+) (\d+)"/.exec(payload.toString('latin1')) ?? []
    if (!made || !called) return
    const onTheWay = Number(now - BigInt(made)) / 1e6
    delays.token.push(onTheWay)
    if (isFirst) delays.first.push(Number(BigInt(called) - sent) / 1e6 + onTheWay)
    isFirst = false
  })
  sent = process.hrtime.bigint()
  reader.send(ask(`pace ${tokensEach} ${tokenEveryMs}`))
  await reader.count(tokensEach + 1)
  reader.close()
}

function toRates(rates: Record<'prepared' | 'made' | 'lectern', number[]>): Table {
  const [prepared, made, lectern] = [median(rates.prepared), median(rates.made), median(rates.lectern)]
  return {
    title: `Token relay: partial frames a second, ${floodSockets} sockets, ${framesEach} frames each`,
    rows: [
      { app: 'bare uWebSockets.js, frames prepared', 'frames/s': prepared, 'Lectern ×': lectern / prepared },
      { app: 'bare uWebSockets.js, frames made', 'frames/s': made, 'Lectern ×': lectern / made },
      { app: 'Lectern: core to socket', 'frames/s': lectern, 'Lectern ×': 1 },
    ],
  }
}

function toDelays({ first, token }: Delays): Table {
  const perSecond = Math.round((chats * 1000) / tokenEveryMs)
  const row = (what: string, values: number[]) => ({
    what,
    p50: percentile(values, 0.5),
    p95: percentile(values, 0.95),
    p99: percentile(values, 0.99),
  })
  return {
    title: `Added delay in ms: ${chats} live chats, ${perSecond} tokens a second together`,
    rows: [row('first token', first), row('each token', token)],
  }
}
