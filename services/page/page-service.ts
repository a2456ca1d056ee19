// PageService: lists addresses and looks one up.
import type { ServiceImpl } from '@connectrpc/connect'
import type { PageService } from '../../gen/lectern/v1/page_pb.js'
import { projectOf } from '../context.ts'
import { readPageAddress } from '../page-address.ts'
import { readPageRequest } from '../store/paging.ts'
import { listPages, type PageFilter } from './page-list.ts'
import { lookUp, type PageDeps } from './page-lookup.ts'
import { readStatus, toListedPage } from './page-message.ts'

export function createPageService(deps: PageDeps): ServiceImpl<typeof PageService> {
  const { store, index } = deps
  return {
    async listPages(request, context) {
      const project = projectOf(context)
      const status = readStatus(request.status)
      const filter: PageFilter = {
        ...(request.url && { urlPrefix: request.url }),
        ...(status && { status }),
        ...(request.reason && { reason: request.reason }),
        ...(request.sourceUuid && { sourceUuid: request.sourceUuid }),
      }
      const { count, rows } = await listPages(store, project.uuid, filter, readPageRequest(request))
      const pages = rows.flatMap(({ page }) => (page === null ? [] : [page.uuid]))
      const sections = pages.length === 0 ? [] : await index.pageSections(project.uuid, pages)
      const sectionsOf = new Map(pages.map((uuid, at) => [uuid, sections[at]!]))
      return {
        count,
        results: rows.map((entry) => toListedPage(entry, sectionsOf.get(entry.page?.uuid ?? '') ?? [])),
      }
    },

    async lookupPage({ url }, context) {
      return { page: await lookUp(deps, projectOf(context), readPageAddress(url)) }
    },
  }
}
