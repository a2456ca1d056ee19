// What the way from a gateway to a core elsewhere adds to a call: the same calls to the same core over the gateway's one
// HTTP/2 connection to another process, and within this process, in turn.
import { create } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { type Asker, createCoreClient } from '../../../gateway/core-client.ts'
import { ChatService } from '../../../gen/lectern/v1/chat_pb.js'
import { SearchRequestSchema, SearchService } from '../../../gen/lectern/v1/search_pb.js'
import { createCallerSigner } from '../../../services/interceptors/caller-signature.ts'
import { createCoreTransport } from '../../../services/main/core-transport.ts'
import { createInMemoryTransport } from '../../../services/server/in-memory-transport.ts'
import type { BenchOptions } from '../bench.ts'
import { openApp } from '../relay/app.ts'
import { type Table, toTarget } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { createHopCore, secret } from './hop-core.ts'

const calls = 2_000
const warmUps = 500

const asker: Asker = {
  origin: { surface: 'v2', address: '203.0.113.1', origin: null, connection: null },
  authorization: '',
  team: '',
  signal: new AbortController().signal,
}

export async function measureHop({ rounds }: BenchOptions): Promise<Table[]> {
  const app = await openApp<{ port: number }>('../hop/core-app.ts')
  const remote = createCoreTransport([`http://127.0.0.1:${app.ready.port}`])
  const ways = { within: toCalls(createInMemoryTransport(createHopCore())), hop: toCalls(remote) }
  const rows = []
  try {
    for (const name of ['search', 'turn'] as const) {
      const found: Record<'within' | 'hop', number[]>[] = []
      for (let round = 0; round < rounds; round++) {
        const times = { within: [] as number[], hop: [] as number[] }
        // In turn, so that a busy machine is busy for both.
        for (let at = -warmUps; at < calls; at++) {
          for (const way of ['within', 'hop'] as const) {
            const began = performance.now()
            await ways[way][name]()
            if (at >= 0) times[way].push(performance.now() - began)
          }
        }
        found.push(times)
      }
      const at = (way: 'within' | 'hop', share: number) =>
        median(found.map((times) => percentile(times[way], share)))
      rows.push({
        call: name === 'search' ? 'search, ten results' : 'turn, first to last frame',
        'within p50': at('within', 0.5),
        'within p95': at('within', 0.95),
        'hop p50': at('hop', 0.5),
        'hop p95': at('hop', 0.95),
        'added p95': at('hop', 0.95) - at('within', 0.95),
      })
    }
  } finally {
    remote.close()
    app.close()
  }
  const targets = rows.map((row) => toTarget(`${row.call}: ms added, p95`, row['added p95'], '≤', 1))
  const note = `milliseconds; ${calls} calls one after the other, median of ${rounds} rounds; the core is a process of its own`
  return [
    { title: 'From a gateway to its core', rows, notes: [note] },
    { title: 'Held against the target', rows: targets },
  ]
}

function toCalls(transport: Transport) {
  const core = createCoreClient({ transport, sign: createCallerSigner(secret, () => new Date()) })
  return {
    search: () =>
      core.call(
        SearchService.method.search,
        create(SearchRequestSchema, { slug: 'open', q: 'subprocess' }),
        asker,
      ),
    async turn() {
      const events = await core.stream(
        ChatService.method.sendMessage,
        { slug: 'open', message: 'How?' },
        asker,
      )
      for await (const _ of events);
    },
  }
}
