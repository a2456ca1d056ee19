// The kinds of rows in an archive, and how to read and write them.
//
// Uses only the ports, so that data can move between any drivers. Omits derived data: windows of limits, frontiers of runs, versions
// to sweep, vocabularies, and held removals.
import type { SearchIndex } from '../index/search-index.ts'
import { toUnits } from '../index/units.ts'
import type { Address } from '../store/address.ts'
import type { AnalyticsEvent } from '../store/analytics.ts'
import type { Chat, ChatMessage, Trace } from '../store/chat.ts'
import type { Page, PageContent } from '../store/page.ts'
import { listAll, scanAll } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { Recrawl } from '../store/recrawl.ts'
import type { LoggedEvent, RunWithCounts } from '../store/run.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import type { Invitation, Key, Member, Team } from '../store/team.ts'
import type { StoredVector } from '../store/vector.ts'

interface Rows {
  team: Team
  key: Key
  member: Member
  invitation: Invitation
  project: Project
  source: Source
  /** A piece of an uploaded file, in base64. The pieces of a file are consecutive. */
  blob: { blob: string; isLast: boolean; bytes: string }
  page: { page: Page; content: PageContent }
  /** A skipped or failed address. */
  address: { project: string; address: Address }
  run: { run: RunWithCounts; events: LoggedEvent[] }
  recrawl: Recrawl
  chat: { chat: Chat; messages: { message: ChatMessage; trace: Trace | null }[] }
  event: AnalyticsEvent
  /** `numbers`: 32-bit floats, little-endian, in base64. */
  vector: { model: string; hash: string; usedAt: string; numbers: string }
}

export type Kind = keyof Rows

export type RowLine = { [K in Kind]: { kind: K; row: Rows[K] } }[Kind]

export interface Target {
  store: Store
  index: SearchIndex
}

const batchSize = 100
const runBatch = 10
const pageBatch = 20
const pieceSize = 1024 * 1024

/** Yields all rows of a store, each after the rows that it refers to. A live run is exported as cancelled at `now`. */
export async function* readStore(store: Store, now: string): AsyncGenerator<RowLine> {
  const teams = await store.teams.all()
  for (const row of teams) yield { kind: 'team', row }
  for (const { uuid: team } of teams) {
    for await (const row of listAll((page) => store.keys.list(team, page))) yield { kind: 'key', row }
    for await (const row of listAll((page) => store.members.list(team, page))) yield { kind: 'member', row }
    for await (const row of listAll((page) => store.invitations.list(team, now, page)))
      yield { kind: 'invitation', row }
  }
  for (const row of await store.projects.all()) {
    yield { kind: 'project', row }
    yield* readProject(store, row.uuid, now)
  }
  yield* readVectors(store)
}

async function* readProject(store: Store, project: string, now: string): AsyncGenerator<RowLine> {
  const sources = await store.sources.all(project)
  for (const row of sources) yield { kind: 'source', row }
  for (const { options } of sources) if (options.blob !== undefined) yield* readPieces(store, options.blob)
  const scanPages = (last: Page | undefined) => store.pages.scan(project, last?.uuid ?? null, pageBatch)
  for await (const page of scanAll(scanPages, pageBatch)) {
    const content = await store.pages.content(page.uuid)
    if (content !== null) yield { kind: 'page', row: { page: { ...page, heldBy: null }, content } }
  }
  for (const status of ['failed', 'skipped'] as const) {
    const scan = (last: Address | undefined) =>
      store.addresses.scan(project, { status }, last?.url ?? '', batchSize)
    for await (const address of scanAll(scan, batchSize)) yield { kind: 'address', row: { project, address } }
  }
  for await (const run of listAll((page) => store.runs.list(project, page), runBatch)) {
    const events = await Array.fromAsync(listAll((page) => store.runs.events(run.uuid, {}, page)))
    const ended = run.finishedAt === null ? { status: 'cancelled' as const, finishedAt: now } : {}
    yield { kind: 'run', row: { run: { ...run, ...ended }, events } }
  }
  for await (const row of listAll((page) => store.recrawls.list(project, page)))
    yield { kind: 'recrawl', row }
  for await (const chat of listAll((page) => store.chats.list(project, page))) {
    const messages = []
    for (const message of await store.chats.messages(chat.uuid, { limit: 1_000_000 }))
      messages.push({ message, trace: await store.chats.trace(message.uuid) })
    yield { kind: 'chat', row: { chat: { ...chat, messageCount: messages.length }, messages } }
  }
  const scanEvents = (last: AnalyticsEvent | undefined) =>
    store.analytics.read(project, { from: '0000', to: '9999' }, last?.uuid ?? null, batchSize)
  for await (const row of scanAll(scanEvents, batchSize)) yield { kind: 'event', row }
}

/** Omits files that do not exist or are deleted meanwhile. */
async function* readPieces(store: Store, blob: string): AsyncGenerator<RowLine> {
  for (let from = 0; ; from += pieceSize) {
    const bytes = await store.blobs.read(blob, from, pieceSize)
    if (bytes === null) return
    const isLast = bytes.length < pieceSize
    yield { kind: 'blob', row: { blob, isLast, bytes: Buffer.from(bytes).toString('base64') } }
    if (isLast) return
  }
}

async function* readVectors({ vectors }: Store): AsyncGenerator<RowLine> {
  const scan = (last: StoredVector | undefined) => vectors.scan(last ?? null, batchSize)
  for await (const { model, hash, usedAt, vector } of scanAll(scan, batchSize)) {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    yield { kind: 'vector', row: { model, hash, usedAt, numbers: bytes.toString('base64') } }
  }
}

type Writer<Row> = (target: Target, rows: Row[]) => Promise<void>

/**
 * Writers by kind. Pages of a project are also added to the index. Existing rows are not changed. Rejects with Conflict if the
 * target has another row with the same slug, key or address. archive.ts writes pieces of files.
 */
export const writers: { [K in Exclude<Kind, 'blob'>]: Writer<Rows[K]> } = {
  team: each(({ store }, team) => store.teams.insert(team)),
  key: each(({ store }, key) => store.keys.insert(key)),
  member: each(({ store }, member) => store.members.insert(member)),
  invitation: each(({ store }, invitation) => store.invitations.insert(invitation)),
  project: each(({ store }, project) => store.projects.insert(project)),
  source: each(({ store }, source) => store.sources.insert(source)),
  address: each(async ({ store }, { project, address }) => {
    const [known, [page]] = await Promise.all([
      store.addresses.find(project, address.url),
      store.pages.byUrls(project, [address.url]),
    ])
    const lastVisit = known?.at ?? page?.fetchedAt ?? ''
    if (address.at !== null && address.at > lastVisit) await store.addresses.restore(project, [address])
  }),
  run: each(({ store }, { run, events }) => store.runs.restore(run, events)),
  recrawl: each(({ store }, recrawl) => store.recrawls.insert(recrawl)),
  event: ({ store }, rows) => store.analytics.record(rows),
  vector: each(({ store }, { model, hash, numbers, usedAt }) => {
    const bytes = Uint8Array.from(Buffer.from(numbers, 'base64'))
    return store.vectors.write(model, [{ hash, vector: new Float32Array(bytes.buffer) }], usedAt)
  }),
  chat: each(async ({ store }, { chat, messages }) => {
    // Appending messages increases the count.
    await store.chats.insert({ ...chat, messageCount: 0 })
    for (const { message, trace } of messages) await store.chats.append(message, trace, null)
  }),
  page: async ({ store, index }, rows) => {
    const project = rows[0]!.page.project
    // Adds units before publishing, so that published pages have all their units.
    await index.add(
      project,
      rows.flatMap(({ page, content }) => toUnits(page, content)),
    )
    await store.pages.publish(project, null, rows)
  },
}

function each<Row>(write: (target: Target, row: Row) => Promise<unknown>): Writer<Row> {
  return async (target, rows) => {
    for (const row of rows) await write(target, row)
  }
}
