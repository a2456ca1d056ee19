// PageService: lists, counts and looks up addresses, and lists findings.

import { type PageService, PageStatus as Status } from '../../gen/lectern/v1/page_pb.js'
import { isWeb } from '../../sources/source-table.ts'
import { projectOf } from '../context.ts'
import { readEnum } from '../message.ts'
import { readPageAddress } from '../page-address.ts'
import type { Handlers } from '../routes.ts'
import type { SearchClient } from '../search/search-client.ts'
import { readTestedSource, type UnsavedSourceDeps } from '../source/unsaved-source.ts'
import { type Address, indexed } from '../store/address.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { LoggedEvent } from '../store/run.ts'
import type { Store } from '../store/store.ts'
import { explain, explainUnknown, findCoveringSources, judge } from './explain.ts'
import { createFindings } from './findings.ts'
import { countPages, listPages, matchPages, toFacts, toListedPage } from './page-list.ts'

export function createPageService(deps: PageDeps): Handlers<typeof PageService> {
  const { store, index } = deps
  const readFindings = createFindings(store)
  return {
    async listPages(request, context) {
      const project = projectOf(context)
      const filter = {
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
        results: rows.map(({ address, page }) =>
          toListedPage(address, page, sectionsByPage.get(page?.uuid ?? '') ?? []),
        ),
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
      const findings = request.kind === 0 ? all : all.filter(({ kind }) => kind === request.kind)
      const { offset, limit } = readPageRequest(request)
      return { count: findings.length, results: findings.slice(offset, offset + limit) }
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

/** Reads rows by key, so that the cost does not grow with the project. */
async function lookUp({ store, index }: PageDeps, project: Project, url: string) {
  const [[page = null], known, events] = await Promise.all([
    store.pages.byUrls(project.uuid, [url]),
    store.addresses.find(project.uuid, url),
    store.runs.eventsByUrl(project.uuid, url, maxEvents),
  ])
  const address = known ?? (page === null ? findRemoval(url, events) : { url, ...indexed })
  const [[sections = []], linkedFrom, verdicts] = await Promise.all([
    page === null ? [] : index.pageSections(project.uuid, [page.uuid]),
    index.linkedFrom(project.uuid, url),
    store.sources.all(project.uuid).then((sources) => judge(sources, url)),
  ])
  const { reason, message } = address ?? { reason: null, message: null }
  const [target] = /https?:\/\/[^\s]+/.exec(message ?? '') ?? []
  return {
    ...toFacts(address ?? { url, ...indexed }, page),
    status: address?.status ?? 'unknown',
    sections: sections.map(({ anchor, ...section }) => ({
      ...section,
      url: anchor === null ? url : `${url}#${anchor}`,
    })),
    embedded: sections.filter(({ embedded }) => embedded).length,
    httpStatus:
      page !== null && address?.status === 'indexed' && isWeb(page.sourceType)
        ? 200
        : (address?.httpStatus ?? null),
    canonical: (reason === 'canonical' && target) || null,
    contentHash: page?.contentHash ?? null,
    redirects: target && reason === 'redirect' ? [target] : [],
    linkedFrom,
    events,
    sources: findCoveringSources(verdicts, page),
    explanation:
      address === null ? await explainUnknown(store, verdicts, linkedFrom) : explain(address, page, sections),
  }
}

/** Returns the outcome of a page that was removed because no source lists it; null if there is no such event. */
function findRemoval(url: string, [newest]: LoggedEvent[]): Address | null {
  if (newest?.type !== 'page_removed') return null
  const { reason, message, at, sourceUuid } = newest
  return { url, status: 'skipped', reason, message, at, sourceUuid, httpStatus: null }
}
