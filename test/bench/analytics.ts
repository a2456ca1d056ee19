// Analytics of a year with a million events: the time of each of the four at the REST port, and the cost of recording for a search.
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { SearchService } from '../../gen/lectern/v1/search_pb.js'
import type { AnalyticsEvent } from '../../services/store/analytics.ts'
import type { Project } from '../../services/store/project.ts'
import type { Store } from '../../services/store/store.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import { adminKey, type LecternProcess } from '../e2e/lectern-process.ts'
import type { BenchOptions } from './bench-options.ts'
import { openFilledLectern } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { createRandom, median, timed } from './statistics.ts'

const days = 366
const last = Date.parse('2026-01-01T00:00:00.000Z')
const dayMs = 86_400_000
const range = 'start_date=2025-01-01&end_date=2026-01-01'
/** Of each kind; a message of a chat is an event, too. */
const numbers = { search: 700_000, click: 100_000, tool_call: 80_000, session: 20_000, turn: 50_000 }
/** Distinct queries of readers, including rare ones. */
const vocabulary = 100_000
const kinds = ['search', 'chat', 'mcp', 'insights']
const searchesOfBlock = 200

export async function measureAnalytics({ rounds }: BenchOptions): Promise<Table[]> {
  const { lectern, slug, filled: events } = await openFilledLectern(fill)
  try {
    const read = await timeReading(lectern, slug, Math.max(rounds, 5))
    const shares = await timeRecording(lectern, slug, 10 * rounds)
    return [
      { title: `Analytics of a year with ${events.toLocaleString('en')} events`, rows: read },
      {
        title: 'What recording costs',
        rows: [{ searches: 2 * 10 * rounds * searchesOfBlock, ...shares }],
        notes: [
          'Searches one after the other at the core, in blocks that are counted and blocks that are not.',
        ],
      },
      {
        title: 'Analytics: targets',
        rows: [
          ...read.map((row) => toTarget(`${row.analytics}, ms`, row['median ms'], '≤', 200)),
          toTarget('counted searches × uncounted ones', shares.ratio, '≤', 1.05),
        ],
      },
    ]
  } finally {
    await lectern.remove()
  }
}

async function timeReading(lectern: LecternProcess, slug: string, rounds: number) {
  const rows = []
  for (const analytics of kinds) {
    const path = `/api/v2/projects/${slug}/analytics/${analytics}/?${range}`
    const read = async () => {
      const { status } = await lectern.call('GET', path)
      if (status !== 200) throw new Error(`${analytics}: ${status}`)
    }
    const times: number[] = []
    for (let round = 0; round <= rounds; round++) times.push(await timed(read))
    const [firstTime, ...others] = times
    // The first request adds up the days.
    const max = Math.max(...others)
    rows.push({ analytics, 'first ms': firstTime!, 'median ms': median(others), 'max ms': max })
  }
  return rows
}

async function timeRecording(lectern: LecternProcess, slug: string, rounds: number) {
  const client = createClient(SearchService, createGrpcTransport({ baseUrl: `http://${lectern.grpc}` }))
  const headers = { authorization: `Api-Key ${adminKey}` }
  let made = 0
  async function block(uncounted: boolean) {
    const start = performance.now()
    // Each query is unique, so that it counts.
    for (let n = 0; n < searchesOfBlock; n++)
      await client.search({ slug, q: `${made++} analytics`, uncounted }, { headers })
    return (performance.now() - start) / searchesOfBlock
  }
  await block(true)
  const [counted, uncounted]: number[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    counted!.push(await block(false))
    uncounted!.push(await block(true))
  }
  const [ms, bare] = [median(counted!), median(uncounted!)]
  // Neighboring blocks, because other work of the machine lasts longer than a block.
  const ratio = median(counted!.map((each, n) => each / uncounted![n]!))
  return { 'ms counted': ms, 'ms uncounted': bare, ratio }
}

/** Returns the number of events. */
async function fill(store: Store, { uuid: project, team }: Project): Promise<number> {
  const random = createRandom(1)
  const draw = createDraw(random)
  const at = (share: number) => new Date(last - Math.ceil((1 - share) * days * dayMs)).toISOString()
  const none = { team, project, query: null, url: null, name: null, number: null }
  let made = 0
  const one: Record<AnalyticsEvent['kind'], () => Partial<AnalyticsEvent>> = {
    search: () => ({ query: textOf(draw()), number: random() < 0.05 ? 0 : 7 }),
    click: () => ({ query: textOf(draw()), url: `https://docs.example/${draw() % 2_000}`, number: 1 }),
    tool_call: () => ({ name: random() < 0.7 ? 'search' : 'ask', number: random() < 0.02 ? 1 : 0 }),
    session: () => ({ name: `agent ${draw() % 50}` }),
  }
  for (const kind of Object.keys(one) as AnalyticsEvent['kind'][])
    for (let left = numbers[kind]; left > 0; left -= 1_000)
      await store.analytics.record(
        Array.from({ length: Math.min(left, 1_000) }, () => ({
          ...{ ...none, uuid: `e${made++}`, kind, at: at(1 - left / numbers[kind]) },
          ...one[kind](),
        })),
      )
  for (let turn = 0; turn < numbers.turn; turn++)
    await addTurn(store, { project, team, turn, at: at(turn / numbers.turn), text: textOf(draw()) })
  return made + 2 * numbers.turn
}

interface Turn {
  project: string
  team: string
  turn: number
  at: string
  text: string
}

async function addTurn({ chats }: Store, { project, team, turn, at, text }: Turn): Promise<void> {
  const common = { project, team, createdAt: at }
  const uuid = `c${turn}`
  const page = `https://docs.example/${turn % 2_000}`
  await chats.insert(
    chat(uuid, { ...common, updatedAt: at, writtenAt: at, email: `r${turn % 9_000}@d.example`, url: page }),
  )
  const asked = { ...common, chat: uuid, content: `How do I use ${text}?` }
  await chats.append(question(0, { ...asked, uuid: `${uuid}-0` }), null, null)
  const verdict = turn % 10 === 0 ? 'refused' : turn % 7 === 0 ? 'pointed' : 'answered'
  const end = answer(1, { ...common, chat: uuid, uuid: `${uuid}-1`, sources: [{ title: 'A', url: page }] })
  await chats.append(end, trace({ verdict }), null)
}

const textOf = (n: number): string => `option ${n} of setting ${n % 97}`

/** Draws numbers below `vocabulary`, the n-th with a probability of 1/n, like readers' queries (Zipf). */
function createDraw(random: () => number): () => number {
  const sums = new Float64Array(vocabulary)
  let sum = 0
  for (let n = 0; n < vocabulary; n++) {
    sum += 1 / (n + 1)
    sums[n] = sum
  }
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, vocabulary - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
