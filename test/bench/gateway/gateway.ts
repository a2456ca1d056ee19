// What the gateway costs a search over REST beyond the time of the core: the same request to the gateway and to a bare
// uWebSockets.js app that sends the same bytes, in turn, from a client in another process.
import { Client } from 'undici'
import type { BenchOptions } from '../bench-options.ts'
import { adminKey } from '../hop/hop-core.ts'
import { openApp } from '../relay/app.ts'
import { type Table, toTarget } from '../report.ts'
import { median, percentile } from '../statistics.ts'

const perRound = 3_000
const warmUps = 1_000

interface Ready {
  port: number
  barePort: number
  path: string
  bytes: number
}

interface Times {
  /** As the client sees it. */
  whole: number[]
  core: number[]
  gateway: number[]
  bare: number[]
}

export async function measureGateway({ rounds }: BenchOptions): Promise<Table[]> {
  const app = await openApp<Ready>('../gateway/gateway-app.ts')
  const { port, barePort, path, bytes } = app.ready
  const [client, bare] = [port, barePort].map((each) => toCall(`http://127.0.0.1:${each}`, path)) as [
    Call,
    Call,
  ]
  const found: Times[] = []
  try {
    for (let at = 0; at < warmUps; at++) await Promise.all([client.ask(), bare.ask()])
    await app.ask('take')
    for (let round = 0; round < rounds; round++) {
      const times: Times = { whole: [], core: [], gateway: [], bare: [] }
      for (let at = 0; at < perRound; at++) {
        times.whole.push(await client.ask())
        times.bare.push(await bare.ask())
      }
      times.core = (await app.ask('take')) as number[]
      if (times.core.length !== perRound) throw new Error('the core counted other searches than the client')
      times.gateway = times.whole.map((whole, at) => whole - times.core[at]!)
      found.push(times)
    }
  } finally {
    await Promise.all([client.close(), bare.close()])
    app.close()
  }
  const at = (what: keyof Times, share: number) =>
    median(found.map((times) => percentile(times[what], share)))
  const row = (what: string, of: keyof Times) => ({ what, p50: at(of, 0.5), p95: at(of, 0.95) })
  const rows = [
    row('search over REST, at the client', 'whole'),
    row('the core, of it', 'core'),
    row('gateway, socket and client', 'gateway'),
    row('the same bytes from a bare uWebSockets.js app', 'bare'),
  ]
  const notes = [
    `milliseconds; ${perRound} searches one after the other on one connection, ${bytes} bytes each, median of ${rounds} rounds`,
    'the core answers at once, with all of its interceptors',
  ]
  return [
    { title: 'A search through the gateway', rows, notes },
    {
      title: 'Held against the target',
      rows: [toTarget('ms of gateway over the core, p95', at('gateway', 0.95), '≤', 1)],
    },
  ]
}

interface Call {
  /** Answers the milliseconds from the first byte sent to the last read. */
  ask(): Promise<number>
  close(): Promise<void>
}

function toCall(origin: string, path: string): Call {
  const client = new Client(origin)
  const headers = { authorization: `Api-Key ${adminKey}` }
  return {
    async ask() {
      const began = performance.now()
      const { statusCode, body } = await client.request({ method: 'GET', path, headers })
      await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`answered with ${statusCode}`)
      return performance.now() - began
    },
    close: () => client.close(),
  }
}
