// Partial frames per second, over several concurrent sockets.
import type { Table } from '../report.ts'
import { median } from '../statistics.ts'
import { type App, fromNewAddress, openApp, toMessage } from './app.ts'
import { openFrameCounter } from './frame-counter.ts'

const sockets = 20
const framesEach = 20_000

type Listening = App<{ port: number }>

export async function measureRates(rounds: number): Promise<Table> {
  const apps = {
    made: await openApp<{ port: number }>('raw-app.ts', [framesEach]),
    lectern: await openApp<{ port: number }>('lectern-app.ts'),
  }
  const names = ['made', 'lectern'] as const
  const rates: Record<(typeof names)[number], number[]> = { made: [], lectern: [] }
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const rate = await measureRate(apps[name])
      if (round > 0) rates[name].push(rate)
    }
  }
  for (const name of names) apps[name].close()

  const [made, lectern] = names.map((name) => median(rates[name])) as [number, number]
  return {
    title: `Token relay: partial frames a second, ${sockets} sockets, ${framesEach} frames each`,
    rows: [
      { app: 'bare uWebSockets.js, each frame made', 'frames/s': made, 'Lectern ×': lectern / made },
      { app: 'Lectern, core to socket', 'frames/s': lectern, 'Lectern ×': 1 },
    ],
  }
}

async function measureRate({ ready: { port } }: Listening): Promise<number> {
  const readers = await Promise.all(
    Array.from({ length: sockets }, () => openFrameCounter(port, '/ws/messages/open/', fromNewAddress())),
  )
  const begun = performance.now()
  for (const reader of readers) reader.send(toMessage(`flood ${framesEach}`))
  await Promise.all(readers.map((reader) => reader.count(framesEach)))
  const seconds = (performance.now() - begun) / 1000
  for (const reader of readers) reader.close()
  return (sockets * framesEach) / seconds
}
