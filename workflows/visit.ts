// One queued address of a source: whether it may be visited, the visit, and its outcome.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readRobotsTag } from '../crawler/robots.ts'
import type { FrontierState, Listing } from '../services/store/frontier.ts'
import type { Page, PageContent } from '../services/store/page.ts'
import type { FailReason, SkipReason } from '../services/store/run.ts'
import { type Reading, UnreadableSource, type Validators } from '../sources/source-type.ts'
import type { ParsedPage } from './parse/parse-page.ts'
import { hasSameExtractor, pipeline } from './parse/parse-page.ts'
import { ParseLimit, type ParsePool } from './parse/parse-pool.ts'
import { throwUnlessFault } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'
import { canonicalElsewhere } from './source-crawl.ts'
import { newVersion } from './version.ts'

/** A listing with what the store knows of its URL. */
export interface Task extends Listing {
  state: FrontierState | null
  page: Page | null
}

/** What a visit found out; `commitVisits` makes it last. */
export type Visit = {
  task: Task
  /** Whether an HTTP answer was read. */
  fetched: boolean
  /** Addresses to list next: links, a redirect's or canonical's target. */
  links: FoundLink[]
} & (
  | {
      kind: 'page'
      parsed: ParsedPage
      identity: { uuid: string; version: number }
      /** The address that the page names in its own place, if the source would take that. */
      canonical: string | null
      fetchedAt: string
      validators: Validators
    }
  /** The server says that the stored content holds. */
  | { kind: 'unchanged'; fetchedAt: string }
  /** Its outcome comes from another source of the run. */
  | { kind: 'settled' }
  | { kind: 'skipped'; reason: SkipReason; message: string; deferred: boolean }
  | { kind: 'failed'; reason: FailReason; message: string }
)

/** A visit that read a page with text. */
export type PageVisit = Extract<Visit, { kind: 'page' }>

interface FoundLink {
  url: string
  /** Links away from the page: 1 for a link, 0 for another address of the same page. */
  steps: 0 | 1
}

export interface VisitDeps {
  parsePool: ParsePool
  project: string
  /** The published text of a page; null where there is no page. */
  storedContent(page: Page | null): Promise<PageContent | null>
  /** UUID for a page that is new. */
  newPage(url: string): string
  now(): Date
  signal: AbortSignal
  /** Told of faults. */
  report(error: unknown): void
}

/** Reads the page of a task. Rejects only when the run is stopped or the store is away: a fault fails the page alone. */
export async function visit(deps: VisitDeps, source: SourceCrawl, task: Task): Promise<Visit> {
  try {
    return await visitPage(deps, source, task)
  } catch (error) {
    throwUnlessFault(error, deps.signal)
    // The source has changed under the run: its own sentence says how.
    if (error instanceof UnreadableSource) return faulty(task, [], error.message)
    deps.report(error)
    return faulty(task, await linksOfFailed(deps, source, task).catch(() => []))
  }
}

/** The visit that stands for one that met a fault. */
export function faulty(
  task: Task,
  links: FoundLink[],
  message = 'An internal error; the log has it.',
): Visit {
  return { kind: 'failed', reason: 'parse', message, task, fetched: false, links }
}

async function visitPage(deps: VisitDeps, source: SourceCrawl, task: Task): Promise<Visit> {
  if (source.givenUp !== null) return toGivenUp(deps, source, task, false)
  // Large globs take their time: others are served between two addresses.
  await nextTurn()
  const refused = refuse(source, task)
  if (refused) return { ...refused, task, fetched: false, links: [] }
  const decided = task.state?.outcome != null && !task.state.deferred
  if (decided && !leadsElsewhere(source, task)) {
    return { kind: 'settled', task, fetched: false, links: await linksOfSettled(deps, source, task) }
  }
  const fetchedAt = deps.now().toISOString()
  const known = task.page && hasSameExtractor(task.page.pipeline) ? task.page : null
  const { etag = null, lastModified = null } = known ?? {}
  const answer = await source.reader.fetch(task.url, { etag, lastModified })
  deps.signal.throwIfAborted()
  const found = await toVisit(deps, source, task, answer, fetchedAt)
  if (found.fetched) noteAnswer(source, found)
  return decided ? { kind: 'settled', task, fetched: found.fetched, links: found.links } : found
}

/** A site that is down, or slow, may have pages there. */
function noteAnswer(source: SourceCrawl, found: Visit) {
  if (found.kind === 'page' || found.kind === 'unchanged') source.traps.note(true)
  else if (found.kind !== 'failed' || found.reason === 'http_4xx') source.traps.note(false)
}

/**
 * Whether a page that another source of the run was done with leads on for this one, nobody knows where: what a page that
 * was left out links or redirects to is not stored. It is asked once more. What is gone leads nowhere.
 */
function leadsElsewhere(source: SourceCrawl, { state }: Task): boolean {
  return (
    state?.outcome === 'skipped' && state.reason !== 'gone' && (source.follows || state.reason === 'redirect')
  )
}

export const excludedMessage = 'Left out by the include and exclude globs of its source.'
export const pageLimitMessage = 'The limit on pages was reached before it.'
export const trapMessage = 'The address looks like one of an endless series.'

/** Why this source does not want a URL; another one may. */
function refuse(source: SourceCrawl, { url, depth, page }: Task) {
  if (source.scope.admits(url) === 'excluded') {
    return skipped('excluded', excludedMessage, true)
  }
  if (source.traps.isTrap(url, depth)) {
    return skipped('trap', trapMessage, true)
  }
  // What the index has is asked for all the same.
  if (source.follows && page === null && source.traps.isBarren()) return skipped('trap', trapMessage, true)
  return null
}

type AnswerReader<Kind extends Reading['kind']> = (
  deps: VisitDeps,
  source: SourceCrawl,
  task: Task,
  answer: Extract<Reading, { kind: Kind }>,
  fetchedAt: string,
) => Promise<Visit>

const answerReaders: { [Kind in Reading['kind']]: AnswerReader<Kind> } = {
  document: readPage,

  async unchanged(deps, source, task, _answer, fetchedAt) {
    const links = await storedLinks(deps, source, task)
    if (task.page?.pipeline === pipeline) return { kind: 'unchanged', task, fetched: true, links, fetchedAt }
    return { ...(await analyzeAgain(deps, source, task, fetchedAt)), links }
  },

  async gone(_deps, _source, task, { message }) {
    return { ...skipped('gone', message), task, fetched: true, links: [] }
  },

  async redirect(_deps, source, task, { to }) {
    if (task.url === source.start || task.url === source.movedTo()) source.moveTo(to)
    const message = `It redirects to ${to}`
    return { ...skipped('redirect', message), task, fetched: true, links: [{ url: to, steps: 0 }] }
  },

  async skipped(_deps, _source, task, { reason, message, answered }) {
    return { ...skipped(reason, message), task, fetched: answered, links: [] }
  },

  failed: toFailed,
}

async function toFailed(
  deps: VisitDeps,
  source: SourceCrawl,
  task: Task,
  { reason, message, answered }: { reason: FailReason; message: string; answered: boolean },
): Promise<Visit> {
  const links = await linksOfFailed(deps, source, task)
  return { kind: 'failed', reason, message, task, fetched: answered, links }
}

function toGivenUp(deps: VisitDeps, source: SourceCrawl, task: Task, answered: boolean): Promise<Visit> {
  return toFailed(deps, source, task, { reason: 'parse', message: source.givenUp!, answered })
}

function toVisit(deps: VisitDeps, source: SourceCrawl, task: Task, answer: Reading, fetchedAt: string) {
  const read = answerReaders[answer.kind] as AnswerReader<Reading['kind']>
  return read(deps, source, task, answer, fetchedAt)
}

async function readPage(
  deps: VisitDeps,
  source: SourceCrawl,
  task: Task,
  answer: Extract<Reading, { kind: 'document' }>,
  fetchedAt: string,
): Promise<Visit> {
  const identity = { uuid: task.page?.uuid ?? deps.newPage(task.url), version: newVersion(deps.now()) }
  const { body, contentType, title, robotsTag = null, etag, lastModified } = answer
  let parsed: ParsedPage
  try {
    const page = { ...identity, url: task.url, sourceType: source.type }
    const knownHash = task.page?.pipeline === pipeline ? task.page.contentHash : null
    const signal = AbortSignal.any([deps.signal, source.reading.signal])
    const { project } = deps
    const languages = { sitemap: listedLanguage(source, task), header: answer.language ?? null }
    parsed = await deps.parsePool.parse(
      { page, body, contentType, ...(title && { title }), languages, knownHash },
      { project, signal },
    )
  } catch (error) {
    deps.signal.throwIfAborted()
    if (source.givenUp !== null) return toGivenUp(deps, source, task, true)
    if (!(error instanceof ParseLimit)) throw error
    source.noteUnparsed()
    const message = 'The page could not be read in the time and memory that a page may take.'
    return toFailed(deps, source, task, { reason: 'parse', message, answered: true })
  }
  const header = readRobotsTag(robotsTag)
  const links = source.follows && !header.nofollow ? linked(parsed.content.links) : []
  const skip = (reason: SkipReason, message: string): Visit => ({
    ...skipped(reason, message),
    task,
    fetched: true,
    links,
  })

  if (parsed.noindex || header.noindex) return skip('noindex', 'Its robots directives ask not to index it.')
  if (parsed.content.sections.length === 0) return skip('no_content', 'It holds no text to index.')
  const canonical = canonicalElsewhere(source, task.url, parsed.canonical)
  return {
    kind: 'page',
    task,
    fetched: true,
    links: canonical === null ? links : [...links, { url: canonical, steps: 0 }],
    canonical,
    parsed,
    identity,
    fetchedAt,
    validators: { etag, lastModified },
  }
}

/** What its sitemap says of its language; where no sitemap is read, as at a recrawl, a listed page keeps what it has. */
function listedLanguage(source: SourceCrawl, { url, page }: Task): string | null {
  if (!source.isPinned) return source.languages.get(url) ?? null
  return page !== null && page.sources.length > 0 ? page.language : null
}

/** The page is the same, but units are made otherwise now: they are made anew from the stored text. */
async function analyzeAgain(
  deps: VisitDeps,
  source: SourceCrawl,
  task: Task,
  fetchedAt: string,
): Promise<Visit> {
  const page = task.page as Page
  const content = (await deps.storedContent(page)) as PageContent
  const identity = { uuid: page.uuid, version: newVersion(deps.now()) }
  const units = await deps.parsePool.units(
    { ...identity, url: page.url, sourceType: source.type },
    content,
    deps,
  )
  const parsed = {
    noindex: false,
    canonical: null,
    contentHash: page.contentHash,
    content,
    cut: [],
    units,
  }
  const { etag, lastModified } = page
  const validators = { etag, lastModified }
  return {
    kind: 'page',
    task,
    fetched: true,
    links: [],
    canonical: null,
    parsed,
    identity,
    fetchedAt,
    validators,
  }
}

/** Where a source is crawled by links, those that the page showed when its text was stored. */
async function storedLinks(deps: VisitDeps, source: SourceCrawl, task: Task): Promise<FoundLink[]> {
  if (!source.follows) return []
  return linked((await deps.storedContent(task.page))?.links ?? [])
}

/** Where a page leads that another source of the run was done with. */
async function linksOfSettled(deps: VisitDeps, source: SourceCrawl, task: Task): Promise<FoundLink[]> {
  if (task.state?.reason === 'gone') return []
  return task.state?.outcome === 'failed'
    ? linksOfFailed(deps, source, task)
    : storedLinks(deps, source, task)
}

/** If a page cannot be read, the links stored from the last time are used, so that the pages behind it stay listed. */
async function linksOfFailed(deps: VisitDeps, source: SourceCrawl, task: Task): Promise<FoundLink[]> {
  const links = await storedLinks(deps, source, task)
  if (task.url !== source.start || source.ledTo === null) return links
  source.moveTo(source.ledTo)
  return [...links, { url: source.ledTo, steps: 0 }]
}

function skipped(reason: SkipReason, message: string, deferred = false) {
  return { kind: 'skipped' as const, reason, message, deferred }
}

function linked(urls: string[]): FoundLink[] {
  return urls.map((url) => ({ url, steps: 1 }))
}
