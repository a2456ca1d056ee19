// PageService: lists addresses and looks one up.

import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  type PageDetail,
  PageDetailSchema,
  type PageService,
  PageStatus as Status,
} from '../../gen/lectern/v1/page_pb.js'
import { isWeb } from '../../sources/source-table.ts'
import { projectOf } from '../context.ts'
import { readEnum, toEnum, withoutNulls } from '../message.ts'
import { readPageAddress } from '../page-address.ts'
import type { PageSection } from '../search/page-sections.ts'
import type { SearchClient } from '../search/search-client.ts'
import { readScope } from '../source/source-scope.ts'
import type { Page } from '../store/page.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { LoggedEvent } from '../store/run.ts'
import type { Store } from '../store/store.ts'
import { toEvent } from '../sync/sync-message.ts'
import {
  isLater,
  type LookupStatus,
  listPages,
  type PageFilter,
  type PageStatus,
  toFacts,
  toListedPage,
} from './page-list.ts'

export function createPageService(deps: PageDeps): ServiceImpl<typeof PageService> {
  const { store, index } = deps
  return {
    async listPages(request, context) {
      const project = projectOf(context)
      const filter: PageFilter = {
        urlPrefix: request.url || undefined,
        status: readEnum(Status, request.status),
        reason: request.reason || undefined,
        sourceUuid: request.sourceUuid || undefined,
      }
      const { count, rows } = await listPages(store, project.uuid, filter, readPageRequest(request))
      const pages = rows.flatMap(({ page }) => (page === null ? [] : [page.uuid]))
      const sections = pages.length === 0 ? [] : await index.pageSections(project.uuid, pages)
      const sectionsByPage = new Map(pages.map((uuid, at) => [uuid, sections[at]!]))
      return {
        count,
        results: rows.map((entry) => toListedPage(entry, sectionsByPage.get(entry.page?.uuid ?? '') ?? [])),
      }
    },

    async lookupPage({ url }, context) {
      return { page: await lookUp(deps, projectOf(context), readPageAddress(url)) }
    },
  }
}

interface PageDeps {
  store: Store
  index: Pick<SearchClient, 'pageSections' | 'linkedFrom'>
}

const maxEvents = 20

interface Outcome {
  status: LookupStatus
  /** The event of a skipped or failed address. */
  event: LoggedEvent | null
}

/** Reads single rows by their keys, so that the cost does not grow with the project. */
async function lookUp({ store, index }: PageDeps, project: Project, url: string): Promise<PageDetail> {
  const [[page = null], events] = await Promise.all([
    store.pages.byUrls(project.uuid, [url]),
    store.runs.eventsByUrl(project.uuid, url, maxEvents),
  ])
  const { status, event } = await readOutcome(store, project, url, page, events)
  const [[sections = []], linkedFrom] = await Promise.all([
    page === null ? [] : index.pageSections(project.uuid, [page.uuid]),
    index.linkedFrom(project.uuid, url),
  ])
  const said = event ?? { reason: null, message: '' }
  const [target] = /https?:\/\/[^\s]+/.exec(said.message) ?? []
  const httpStatus = readHttpStatus(status, page, said.message)
  return create(PageDetailSchema, {
    ...toFacts({ url, page, event }),
    status: toEnum(Status, status),
    sections: sections.map(({ anchor, ...section }) => ({
      ...section,
      url: anchor === null ? url : `${url}#${anchor}`,
    })),
    embedded: sections.filter(({ embedded }) => embedded).length,
    ...withoutNulls({
      httpStatus,
      canonical: (said.reason === 'canonical' && target) || null,
      contentHash: page?.contentHash,
    }),
    redirects: target && said.reason === 'redirect' ? [target] : [],
    linkedFrom,
    events: events.map(toEvent),
    explanation:
      status === 'unknown'
        ? await explainUnknown(store, project, url, linkedFrom)
        : explain(status, page, event, sections),
  })
}

async function readOutcome(
  store: Store,
  project: Project,
  url: string,
  page: Page | null,
  [newest]: LoggedEvent[],
): Promise<Outcome> {
  const [run] = (await store.runs.list(project.uuid, { offset: 0, limit: 1 })).rows
  const [state] = run === undefined ? [] : await store.frontier.states(run.uuid, [url])
  const isPending = state != null && (state.outcome === null || state.deferred)
  if (page === null && isPending) return { status: 'pending', event: null }
  if (newest?.type === 'page_failed' && isLater(newest, page)) return { status: 'failed', event: newest }
  const isSkip = newest?.type === 'page_skipped' || (newest?.type === 'page_removed' && page === null)
  if (newest && isSkip && isLater(newest, page)) return { status: 'skipped', event: newest }
  return { status: page === null ? 'unknown' : 'indexed', event: null }
}

/** The event log keeps the status in its sentence: `The server answered 404.` */
function readHttpStatus(status: Outcome['status'], page: Page | null, message: string): number | null {
  if (status === 'indexed') return page !== null && isWeb(page.sourceType) ? 200 : null
  const [, answered] = /\banswered (\d{3})\b/.exec(message) ?? []
  return answered === undefined ? null : Number(answered)
}

function explain(
  status: PageStatus,
  page: Page | null,
  event: LoggedEvent | null,
  sections: PageSection[],
): string {
  if (status === 'pending') return 'The sync in progress has found the address and has not read it yet.'
  if (event === null) {
    const embedded = sections.filter((section) => section.embedded).length
    const size = `${sections.length} ${sections.length === 1 ? 'section' : 'sections'}`
    return `The page is in the index with ${size}, of which ${embedded} ${embedded === 1 ? 'is' : 'are'} embedded.`
  }
  const outcome = status === 'failed' ? 'Could not be read' : 'Skipped'
  const stays =
    page === null
      ? ''
      : ` The index still has the version that was fetched on ${page.fetchedAt.slice(0, 10)}.`
  return `${outcome} on ${event.at.slice(0, 10)} (${event.reason}): ${withPeriod(event.message)}${stays}`
}

const withPeriod = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)

/** Why Lectern never saw an address. */
async function explainUnknown(
  store: Store,
  project: Project,
  url: string,
  linkedFrom: string[],
): Promise<string> {
  const sources = await store.sources.all(project.uuid)
  if (sources.length === 0) return 'The project has no sources.'
  const verdicts = sources.flatMap((source) => {
    const verdict = readScope(source)?.admits(url)
    return verdict === undefined ? [] : [{ source, verdict }]
  })
  const taking = verdicts.find(({ verdict }) => verdict === 'in')?.source
  if (taking !== undefined) {
    const run = await store.runs.latest(project.uuid)
    if (run === null) return `The source “${taking.name}” covers the address. The project was never synced.`
    if (linkedFrom.length > 0)
      return `The source “${taking.name}” covers the address, and an indexed page links to it. The next sync reads it.`
    const how =
      taking.type === 'sitemap' ? 'its sitemap does not list it' : 'no page that was read links to it'
    return `The source “${taking.name}” covers the address, but ${how}.`
  }
  const excluding = verdicts.find(({ verdict }) => verdict === 'excluded')?.source
  if (excluding !== undefined)
    return `The include and exclude globs of the source “${excluding.name}” leave the address out.`
  return 'No source of the project covers the address.'
}
