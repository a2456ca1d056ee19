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
import type { SearchClient } from '../search/search-client.ts'
import { readTestedSource, type UnsavedSourceDeps } from '../source/unsaved-source.ts'
import type { Page } from '../store/page.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { LoggedEvent } from '../store/run.ts'
import type { Store } from '../store/store.ts'
import { toEvent } from '../sync/sync-message.ts'
import { countPages, matchPages } from './counts.ts'
import { explain, explainUnknown, findCoveringSources } from './explain.ts'
import { createFindings } from './findings.ts'
import { isLater, type LookupStatus, listPages, type PageFilter, toFacts, toListedPage } from './page-list.ts'

export function createPageService(deps: PageDeps): ServiceImpl<typeof PageService> {
  const { store, index } = deps
  const readFindings = createFindings(store)
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

    countPages: ({ url, sourceUuid }, context) =>
      countPages(store, projectOf(context).uuid, {
        urlPrefix: url || undefined,
        sourceUuid: sourceUuid || undefined,
      }),

    async listFindings(request, context) {
      const all = await readFindings(projectOf(context).uuid)
      const found = request.kind === 0 ? all : all.filter(({ kind }) => kind === request.kind)
      const { offset, limit } = readPageRequest(request)
      return { count: found.length, results: found.slice(offset, offset + limit) }
    },

    async matchPages({ sourceUuid, source }, context) {
      const project = projectOf(context)
      return matchPages(store, project.uuid, await readTestedSource(deps, project, sourceUuid, source))
    },
  }
}

interface PageDeps extends UnsavedSourceDeps {
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
  const [[sections = []], linkedFrom, sources] = await Promise.all([
    page === null ? [] : index.pageSections(project.uuid, [page.uuid]),
    index.linkedFrom(project.uuid, url),
    store.sources.all(project.uuid),
  ])
  const said = event ?? { reason: null, message: '' }
  const [target] = /https?:\/\/[^\s]+/.exec(said.message) ?? []
  const type = page?.sourceType ?? sources.find(({ uuid }) => uuid === event?.sourceUuid)?.type
  const isRead = status === 'indexed' || said.reason === 'noindex'
  const httpStatus = isRead && type && isWeb(type) ? 200 : readHttpStatus(said.message)
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
    sources: findCoveringSources(sources, url, page),
    explanation:
      status === 'unknown'
        ? await explainUnknown(store, sources, url, linkedFrom)
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
function readHttpStatus(message: string): number | null {
  const [, answered] = /\banswered (\d{3})\b/.exec(message) ?? []
  return answered === undefined ? null : Number(answered)
}
