// A page as a row of its table.
import type { Page } from '../page.ts'
import { createTable, type Values } from './table.ts'

export type PageRow = Values<Page>

/** Pages with their project and the sources that are there. */
export const pages = createTable<Page>('page', {
  plain:
    'uuid team url version fetchedAt contentHash pipeline etag lastModified title language docVersion sourceType heldBy',
  json: 'sources',
  flag: 'pinned',
  elsewhere: {
    project: 'project.uuid',
    sources: `(select json_group_array(source.uuid order by source.uuid) from page_source
      join source on source.id = page_source.source where page_source.page = page.id)`,
  },
})

/** Conditions are appended. */
export const pageSelection = `select ${pages.columns} from project join page on page.project = project.id`
