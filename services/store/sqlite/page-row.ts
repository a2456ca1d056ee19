// A page's row and what it becomes.
import type { Page } from '../page.ts'

export type PageRow = Omit<Page, 'sources' | 'pinned'> & { sources: string; pinned: number }

/** Pages with their project and the sources that are there; conditions are appended. */
export const pageSelection = `select page.uuid, page.team, project.uuid as project, page.url,
    (select json_group_array(source.uuid order by source.uuid) from page_source
     join source on source.id = page_source.source where page_source.page = page.id) as sources,
    page.pinned, page.version, page.fetched_at as fetchedAt, page.content_hash as contentHash, page.pipeline,
    page.etag, page.last_modified as lastModified, page.title, page.language, page.doc_version as docVersion,
    page.source_type as sourceType, page.held_by as heldBy
  from project join page on page.project = project.id`

export function toPage(row: PageRow): Page {
  return {
    ...row,
    sources: JSON.parse(row.sources),
    pinned: row.pinned === 1,
  }
}
