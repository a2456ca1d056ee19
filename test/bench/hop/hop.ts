// The cost of a hop from a gateway to a remote core: the same calls to the same core over the gateway's one
// HTTP/2 connection to another process, within this process, and as bare HTTP/2 requests, in turn.
import { availableParallelism, loadavg } from 'node:os'
import { create } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { createCoreTransport } from '../../../app/gateway.ts'
import { type CallContext, createCoreClient } from '../../../gateway/core-client.ts'
import { ChatService } from '../../../gen/lectern/v1/chat_pb.js'
import { SearchRequestSchema, SearchService } from '../../../gen/lectern/v1/search_pb.js'
import { createCallerSigner } from '../../../services/guard/identify.ts'
import { createInMemoryTransport } from '../../../services/server/in-memory-transport.ts'
import type { BenchOptions } from '../bench-options.ts'
import { openApp } from '../relay/app.ts'
import { type Table, toTarget } from '../report.ts'
import { median, percentile, timed } from '../statistics.ts'
import { answerBytes, openBareCalls } from './bare-call.ts'
import { adminKey, createHopCore, secret } from './hop-core.ts'

const perRound = 2_000
const warmUps = 500

const context: CallContext = {
  origin: { surface: 'v2', address: '203.0.113.1', origin: null, connection: null },
  authorization: `Api-Key ${adminKey}`,
  team: '',
  signal: new AbortController().signal,
}

const ways = ['within', 'hop', 'bare'] as const
type Times = Record<(typeof ways)[number], number[]>

export async function measureHop({ rounds }: BenchOptions): Promise<Table[]> {
  const app = await openApp<{ port: number; barePort: number }>('../hop/core-app.ts')
  const hop = createCoreTransport([`http://127.0.0.1:${app.ready.port}`])
  const bare = openBareCalls(app.ready.barePort)
  const calls = {
    within: toCalls(createInMemoryTransport(createHopCore())),
    hop: toCalls(hop),
    bare: { search: bare.call, turn: bare.call },
  }
  const rows = []
  try {
    for (const name of ['search', 'turn'] as const) {
      const found: Times[] = []
      for (let round = 0; round < rounds; round++) found.push(await timeCalls((way) => calls[way][name]()))
      const at = (way: keyof Times, share: number) =>
        median(found.map((times) => percentile(times[way], share)))
      rows.push({
        call: name === 'search' ? 'search, ten results' : 'turn, first to last frame',
        'within p50': at('within', 0.5),
        'within p95': at('within', 0.95),
        'hop p50': at('hop', 0.5),
        'hop p95': at('hop', 0.95),
        'bare p50': at('bare', 0.5),
        'bare p95': at('bare', 0.95),
        'hop × bare, p95': at('hop', 0.95) / at('bare', 0.95),
        'added p95': at('hop', 0.95) - at('within', 0.95),
      })
    }
  } finally {
    hop.close()
    bare.close()
    app.close()
  }
  const targets = rows.map((row) => toTarget(`${row.call}: ms added, p95`, row['added p95'], '≤', 1))
  const notes = [
    `milliseconds; ${perRound} calls one after the other, median of ${rounds} rounds`,
    `bare: a request of HTTP/2 and ${answerBytes} bytes in answer between two processes of Node, with nothing above: the least`,
    'that a hop over HTTP/2 takes here',
    `the load is ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores.`,
  ]
  return [
    { title: 'From a gateway to its core', rows, notes },
    { title: 'Held against the target', rows: targets },
  ]
}

/** All variants in turn, so that a busy machine affects each. */
async function timeCalls(call: (way: keyof Times) => Promise<unknown>): Promise<Times> {
  const times: Times = { within: [], hop: [], bare: [] }
  for (let at = -warmUps; at < perRound; at++) {
    for (const way of ways) {
      const ms = await timed(() => call(way))
      if (at >= 0) times[way].push(ms)
    }
  }
  return times
}

function toCalls(transport: Transport) {
  const core = createCoreClient({ transport, attestOrigin: createCallerSigner(secret, () => new Date()) })
  return {
    search: () =>
      core.call(
        SearchService.method.search,
        create(SearchRequestSchema, { slug: 'open', q: 'subprocess' }),
        context,
      ),
    async turn() {
      const events = await core.stream(
        ChatService.method.sendMessage,
        { slug: 'open', message: 'How?' },
        context,
      )
      for await (const _ of events);
    },
  }
}
