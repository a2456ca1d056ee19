// What is moved from one store to another: a table of kinds of rows, each with how it is read and how it is written.
//
// Everything goes through the ports, so that any driver moves to any other. Left behind is what the next moment makes anew:
// windows of limits, frontiers of runs, versions to sweep, vocabularies, and removals that a run holds back.
import type { AnalyticsEvent } from '../store/analytics.ts'
import type { Chat, ChatMessage, Trace } from '../store/chat.ts'
import type { Key } from '../store/key.ts'
import type { Invitation, Member } from '../store/member.ts'
import type { Page, PageContent } from '../store/page.ts'
import type { Paged, PageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { Recrawl } from '../store/recrawl.ts'
import type { LoggedEvent, RunWithCounts } from '../store/run.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import type { Team } from '../store/team.ts'

export interface MovedPage {
  page: Page
  content: PageContent
}

export interface MovedRun {
  run: RunWithCounts
  events: LoggedEvent[]
}

export interface MovedChat {
  chat: Chat
  messages: { message: ChatMessage; trace: Trace | null }[]
}

export interface MovedVector {
  model: string
  hash: string
  usedAt: string
  /** Numbers of four bytes, least byte first, in base64. */
  numbers: string
}

/** Pieces of an uploaded file follow each other, from the first on. */
export interface MovedPiece {
  blob: string
  from: number
  /** Of the whole file. */
  size: number
  /** In base64. */
  bytes: string
}

export interface Rows {
  team: Team
  key: Key
  member: Member
  invitation: Invitation
  project: Project
  source: Source
  blob: MovedPiece
  page: MovedPage
  run: MovedRun
  recrawl: Recrawl
  chat: MovedChat
  event: AnalyticsEvent
  vector: MovedVector
}

export type Kind = keyof Rows

/** Rows of one kind that are read together: those of a team, of a project, or of all the store (null). */
export interface Part {
  kind: Kind
  scope: string | null
}

/** What reading goes on from: what the page before answered; null at the beginning, and at the end. */
export type Position = string | null

export interface Read<Row> {
  rows: Row[]
  next: Position
}

type Reader<Row> = (store: Store, scope: string, after: Position, now: string) => Promise<Read<Row>>

const atOnce = 100
/** Pages carry their text. */
const pagesAtOnce = 20
const runsAtOnce = 10
/** Bytes of an uploaded file. */
const pieceSize = 1024 * 1024

/** In the order in which rows are written: a row stands behind those that it names. */
export const readers: { [K in Kind]: Reader<Rows[K]> } = {
  team: async (store) => ({ rows: await store.teams.all(), next: null }),
  key: listed((store, team, page) => store.keys.list(team, page)),
  member: listed((store, team, page) => store.members.list(team, page)),
  invitation: (store, team, after, now) =>
    listed((from, scope, page) => from.invitations.list(scope, now, page))(store, team, after, now),
  project: listed((store, team, page) => store.projects.list(team, null, page)),
  source: async (store, project) => ({ rows: await store.sources.all(project), next: null }),
  blob: readPieces,
  page: readPages,
  run: readRuns,
  recrawl: listed((store, project, page) => store.recrawls.list(project, page)),
  chat: readChats,
  event: readEvents,
  vector: readVectors,
}

const ofStore: Kind[] = ['team']
const ofTeam: Kind[] = ['key', 'member', 'invitation', 'project']
const ofProject: Kind[] = ['source', 'blob', 'page', 'run', 'recrawl', 'chat', 'event']

/** All parts of a store, in the order in which they are written. */
export async function partsOf(store: Store): Promise<Part[]> {
  const teams = await store.teams.all()
  const projects: string[] = []
  for (const { uuid: team } of teams) {
    for (let offset = 0, more = true; more; offset += atOnce) {
      const { rows } = await store.projects.list(team, null, { offset, limit: atOnce })
      projects.push(...rows.map(({ uuid }) => uuid))
      more = rows.length === atOnce
    }
  }
  const parts = (kinds: Kind[], scopes: (string | null)[]) =>
    scopes.flatMap((scope) => kinds.map((kind) => ({ kind, scope })))
  return [
    ...parts(ofStore, [null]),
    ...parts(
      ofTeam,
      teams.map(({ uuid }) => uuid),
    ),
    ...parts(ofProject, projects),
    { kind: 'vector', scope: null },
  ]
}

/** Reads a list by its offset, which is the position. */
function listed<Row>(
  list: (store: Store, scope: string, page: PageRequest) => Promise<Paged<Row>>,
  limit = atOnce,
): Reader<Row> {
  return async (store, scope, after) => {
    const offset = Number(after ?? 0)
    const { rows } = await list(store, scope, { offset, limit })
    return { rows, next: rows.length < limit ? null : String(offset + limit) }
  }
}

/** One piece at a time. A file that is not there, or goes meanwhile, is passed over. */
async function readPieces(store: Store, project: string, after: Position): Promise<Read<MovedPiece>> {
  const sources = await store.sources.all(project)
  const blobs = sources.flatMap(({ options: { blob, size = 0 } }) =>
    blob === undefined ? [] : { blob, size },
  )
  const position = after === null ? null : (JSON.parse(after) as Pick<MovedPiece, 'blob' | 'from'>)
  const at = position === null ? 0 : blobs.findIndex(({ blob }) => blob === position.blob)
  const current = blobs[at]
  if (current === undefined) return { rows: [], next: null }
  const { blob, size } = current
  const from = position?.from ?? 0
  const bytes = await store.blobs.read(blob, from, pieceSize)
  const end = from + (bytes?.length ?? 0)
  const following = bytes !== null && end > from && end < size ? { blob, from: end } : toStart(blobs[at + 1])
  return {
    rows: bytes === null ? [] : [{ blob, from, size, bytes: Buffer.from(bytes).toString('base64') }],
    next: following && JSON.stringify(following),
  }
}

function toStart(next: { blob: string } | undefined) {
  return next === undefined ? null : { blob: next.blob, from: 0 }
}

async function readPages(store: Store, project: string, after: Position): Promise<Read<MovedPage>> {
  const pages = await store.pages.scan(project, after, pagesAtOnce)
  const rows: MovedPage[] = []
  for (const page of pages) {
    const content = await store.pages.content(page.uuid)
    if (content !== null) rows.push({ page: { ...page, heldBy: null }, content })
  }
  return { rows, next: pages.length < pagesAtOnce ? null : pages.at(-1)!.uuid }
}

/** A run that is under way is not taken along: it ends here as cancelled. */
async function readRuns(
  store: Store,
  project: string,
  after: Position,
  now: string,
): Promise<Read<MovedRun>> {
  const list = listed((from, scope, page) => from.runs.list(scope, page), runsAtOnce)
  const { rows, next } = await list(store, project, after, now)
  const moved: MovedRun[] = []
  for (const run of rows) {
    const isLive = run.finishedAt === null
    moved.push({
      run: isLive ? { ...run, status: 'cancelled', finishedAt: now } : run,
      events: await eventsOf(store, run.uuid),
    })
  }
  return { rows: moved, next }
}

async function eventsOf(store: Store, run: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (;;) {
    const { rows } = await store.runs.events(run, {}, { offset: events.length, limit: atOnce })
    events.push(...rows)
    if (rows.length < atOnce) return events
  }
}

async function readChats(
  store: Store,
  project: string,
  after: Position,
  now: string,
): Promise<Read<MovedChat>> {
  const list = listed((from, scope, page) => from.chats.list(scope, page))
  const { rows, next } = await list(store, project, after, now)
  const moved: MovedChat[] = []
  for (const chat of rows) {
    const messages: MovedChat['messages'] = []
    for (const message of await messagesOf(store, chat.uuid)) {
      messages.push({ message, trace: await store.chats.trace(message.uuid) })
    }
    moved.push({ chat: { ...chat, messageCount: messages.length }, messages })
  }
  return { rows: moved, next }
}

async function messagesOf(store: Store, chat: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  for (;;) {
    const below = messages[0]?.position
    const page = await store.chats.messages(chat, { limit: atOnce, ...(below !== undefined && { below }) })
    messages.unshift(...page)
    if (page.length < atOnce) return messages
  }
}

const always = { from: '0000', to: '9999' }

async function readEvents(store: Store, project: string, after: Position): Promise<Read<AnalyticsEvent>> {
  const rows = await store.analytics.read(project, always, after, atOnce)
  return { rows, next: rows.length < atOnce ? null : rows.at(-1)!.uuid }
}

async function readVectors(store: Store, _scope: string, after: Position): Promise<Read<MovedVector>> {
  const position = after === null ? null : (JSON.parse(after) as { model: string; hash: string })
  const kept = await store.vectors.scan(position, atOnce)
  const rows = kept.map(({ model, hash, usedAt, vector }) => ({
    model,
    hash,
    usedAt,
    numbers: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
  }))
  const last = kept.at(-1)
  return {
    rows,
    next: kept.length < atOnce ? null : JSON.stringify({ model: last!.model, hash: last!.hash }),
  }
}
