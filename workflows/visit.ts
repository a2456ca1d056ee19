// Visits one queued address of a source: checks whether it may be visited, reads it, and determines the outcome.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readRobotsTag } from '../crawler/robots.ts'
import type { FrontierState, Listing } from '../services/store/frontier.ts'
import type { Page, PageContent } from '../services/store/page.ts'
import type { FailReason, SkipReason } from '../services/store/run.ts'
import { type Reading, UnreadableSource, type Validators } from '../sources/source-type.ts'
import { hasSameExtractor, type ParsedPage, pipeline } from './parse/parse-page.ts'
import { ParseLimit } from './parse/parse-pool.ts'
import { newVersion, pageUuid, type ReadContext, throwUnlessFault } from './run-control.ts'
import { canonicalElsewhere, type SourceCrawl } from './source-crawl.ts'

/** A listing with the store's state of its URL. */
export interface Task extends Listing {
  state: FrontierState | null
  page: Page | null
}

/** The result of a visit. `commitVisits` stores it. */
export type Visit = {
  task: Task
  /** Whether a response was read, and its HTTP status. */
  fetched: boolean
  httpStatus?: number | undefined
  /** Addresses to list next: links, targets of redirects, canonical addresses. */
  links: FoundLink[]
} & (
  | {
      kind: 'page'
      parsed: ParsedPage
      identity: { uuid: string; version: number }
      /** The canonical address of the page, if it is another page that the source accepts. */
      canonical: string | null
      fetchedAt: string
      validators: Validators
    }
  /** The stored content is current, as the server says. */
  | { kind: 'unchanged'; fetchedAt: string }
  /** Another source of the run decides the outcome. */
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

interface Context extends ReadContext {
  source: SourceCrawl
  task: Task
}

/** Reads the page of a task. Rejects only if the run is stopped or the store is unavailable: a bug fails only the page. */
export async function visit(deps: ReadContext, source: SourceCrawl, task: Task): Promise<Visit> {
  const context = { ...deps, source, task }
  try {
    return await visitPage(context)
  } catch (error) {
    throwUnlessFault(error, deps.signal)
    // The source has changed during the run. The message says how.
    if (error instanceof UnreadableSource) return faulty(task, [], error.message)
    deps.report(error)
    return faulty(task, await linksOfFailed(context).catch(() => []))
  }
}

/** The visit of a page that failed because of a bug. */
export function faulty(task: Task, links: FoundLink[], message = 'An internal error; see the log.'): Visit {
  return { kind: 'failed', reason: 'parse', message, task, fetched: false, links }
}

async function visitPage(context: Context): Promise<Visit> {
  const { source, task, signal } = context
  if (source.givenUp !== null) return failed(context, 'parse', source.givenUp, false)
  // Large globs are slow: lets other work run between two addresses.
  await nextTurn()
  const refused = refuse(context)
  if (refused) return refused
  const isDecided = task.state?.outcome != null && !task.state.deferred
  if (isDecided && !leadsElsewhere(context)) {
    return { kind: 'settled', task, fetched: false, links: await linksOfSettled(context) }
  }
  const fetchedAt = context.now().toISOString()
  const known = task.page && hasSameExtractor(task.page.pipeline) ? task.page : null
  const { etag = null, lastModified = null } = known ?? {}
  const answer = await source.reader.fetch(task.url, { etag, lastModified })
  signal.throwIfAborted()
  const found = { ...(await toVisit(context, answer, fetchedAt)), httpStatus: answer.status }
  if (found.fetched) noteAnswer(source, found)
  return isDecided ? { kind: 'settled', task, fetched: found.fetched, links: found.links } : found
}

/** Counts answers for the trap detector. Failures do not count: the site may be down or slow. */
function noteAnswer(source: SourceCrawl, found: Visit) {
  if (found.kind === 'page' || found.kind === 'unchanged') source.traps.note(true)
  else if (found.kind !== 'failed' || found.reason === 'http_4xx') source.traps.note(false)
}

/**
 * Whether a page that another source of the run has decided must be fetched again for its links, which are not stored: if it was left
 * out, or if it redirects. A page that is gone has no links.
 */
function leadsElsewhere({ source, task: { state } }: Context): boolean {
  return (
    state?.outcome === 'skipped' && state.reason !== 'gone' && (source.follows || state.reason === 'redirect')
  )
}

export const excludedMessage = 'The include and exclude globs of its source exclude it.'
export const pageLimitMessage = 'The limit on pages was reached before it.'
export const trapMessage = 'The address looks like one of an endless series.'

/** Returns the outcome if this source does not accept the URL. Another source may. */
function refuse({ source, task }: Context): Visit | null {
  const { url, depth, page } = task
  const { scope, traps } = source
  if (scope.admits(url) === 'excluded') return skipped(task, 'excluded', excludedMessage, { deferred: true })
  // A page in the index is still fetched.
  const isBarren = source.follows && page === null && traps.isBarren()
  if (traps.isTrap(url, depth) || isBarren) return skipped(task, 'trap', trapMessage, { deferred: true })
  return null
}

async function toVisit(context: Context, answer: Reading, fetchedAt: string): Promise<Visit> {
  const { source, task } = context
  switch (answer.kind) {
    case 'document':
      return readPage(context, answer, fetchedAt)
    case 'unchanged': {
      const links = await storedLinks(context)
      if (task.page?.pipeline === pipeline)
        return { kind: 'unchanged', task, fetched: true, links, fetchedAt }
      return { ...(await analyzeAgain(context, fetchedAt)), links }
    }
    case 'gone':
      return skipped(task, 'gone', answer.message, { fetched: true })
    case 'redirect': {
      const url = answer.to
      if (task.url === source.start || task.url === source.movedTo()) source.moveTo(url)
      const links: FoundLink[] = [{ url, steps: 0 }]
      return skipped(task, 'redirect', `It redirects to ${url}`, { fetched: true, links })
    }
    case 'skipped':
      return skipped(task, answer.reason, answer.message, { fetched: answer.answered })
    case 'failed':
      return failed(context, answer.reason, answer.message, answer.answered)
  }
}

async function readPage(
  context: Context,
  answer: Extract<Reading, { kind: 'document' }>,
  fetchedAt: string,
): Promise<Visit> {
  const { source, task, project } = context
  const uuid = task.page?.uuid ?? pageUuid(project, task.url)
  const identity = { uuid, version: newVersion(context.now()) }
  const { body, contentType, title, robotsTag = null, etag, lastModified } = answer
  let parsed: ParsedPage
  try {
    const page = { ...identity, url: task.url, sourceType: source.type }
    const knownHash = task.page?.pipeline === pipeline ? task.page.contentHash : null
    const signal = AbortSignal.any([context.signal, source.reading.signal])
    const languages = { sitemap: listedLanguage(context), header: answer.language ?? null }
    parsed = await context.parsePool.parse(
      { page, body, contentType, ...(title && { title }), languages, knownHash },
      { project, signal },
    )
  } catch (error) {
    context.signal.throwIfAborted()
    if (source.givenUp !== null) return failed(context, 'parse', source.givenUp, true)
    if (!(error instanceof ParseLimit)) throw error
    source.noteUnparsed()
    const message = 'Reading the page exceeded the limit of time or memory.'
    return failed(context, 'parse', message, true)
  }
  const header = readRobotsTag(robotsTag)
  const links = source.follows && !header.nofollow ? linked(parsed.content.links) : []
  const found = { fetched: true, links }
  if (parsed.noindex || header.noindex) {
    return skipped(task, 'noindex', 'Its robots directives ask not to index it.', found)
  }
  if (parsed.content.sections.length === 0) {
    return skipped(task, 'no_content', 'It has no text to index.', found)
  }
  const canonical = canonicalElsewhere(source, task.url, parsed.canonical)
  return {
    ...{ kind: 'page', task, fetched: true, canonical, parsed, identity, fetchedAt },
    links: canonical === null ? links : [...links, { url: canonical, steps: 0 }],
    validators: { etag, lastModified },
  }
}

/** The language in its sitemap. If no sitemap is read, as in a recrawl, a listed page keeps its language. */
function listedLanguage({ source, task: { url, page } }: Context): string | null {
  if (!source.isPinned) return source.languages.get(url) ?? null
  return page !== null && page.sources.length > 0 ? page.language : null
}

/** Makes the units of an unchanged page again from its stored text, because the analyzer has changed. */
async function analyzeAgain(context: Context, fetchedAt: string): Promise<Visit> {
  const { source, task, parsePool } = context
  const { uuid, url, contentHash, etag, lastModified } = task.page as Page
  const content = (await context.store.pages.content(uuid)) as PageContent
  const identity = { uuid, version: newVersion(context.now()) }
  const units = await parsePool.units({ ...identity, url, sourceType: source.type }, content, context)
  const parsed = { noindex: false, canonical: null, siteName: '', contentHash, content, cut: [], units }
  return {
    ...{ kind: 'page', task, fetched: true, links: [], canonical: null, parsed, identity, fetchedAt },
    validators: { etag, lastModified },
  }
}

/** The links stored with the page, if the source is crawled by links. */
async function storedLinks({ store, source, task: { page } }: Context): Promise<FoundLink[]> {
  if (!source.follows || page === null) return []
  return linked((await store.pages.content(page.uuid))?.links ?? [])
}

/** The links of a page that another source of the run has decided. */
async function linksOfSettled(context: Context): Promise<FoundLink[]> {
  const { state } = context.task
  if (state?.reason === 'gone') return []
  return state?.outcome === 'failed' ? linksOfFailed(context) : storedLinks(context)
}

/** The stored links of a page that cannot be read, so that the pages behind it stay listed. */
async function linksOfFailed(context: Context): Promise<FoundLink[]> {
  const { source, task } = context
  const links = await storedLinks(context)
  if (task.url !== source.start || source.ledTo === null) return links
  source.moveTo(source.ledTo)
  return [...links, { url: source.ledTo, steps: 0 }]
}

async function failed(
  context: Context,
  reason: FailReason,
  message: string,
  fetched: boolean,
): Promise<Visit> {
  return { kind: 'failed', reason, message, task: context.task, fetched, links: await linksOfFailed(context) }
}

export function skipped(
  task: Task,
  reason: SkipReason,
  message: string,
  found: { fetched?: boolean; links?: FoundLink[]; deferred?: boolean } = {},
): Visit {
  return { kind: 'skipped', reason, message, task, fetched: false, links: [], deferred: false, ...found }
}

function linked(urls: string[]): FoundLink[] {
  return urls.map((url) => ({ url, steps: 1 }))
}
