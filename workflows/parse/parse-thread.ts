// Entry of a parse thread: the tasks that the parse pool may ask for, one after the other.
import { readRobotsFile } from '../../crawler/robots-file.ts'
import { readSitemapFile } from '../../crawler/sitemap-file.ts'
import type { PageContent } from '../../services/store/page.ts'
import { serveThread } from '../../services/thread/thread.ts'
import { type PageIdentity, type ParseRequest, parsePage, unitsOf } from './parse-page.ts'

const tasks = {
  parse: async (request: ParseRequest) => parsePage(request),
  units: async (page: PageIdentity, content: PageContent) => unitsOf({ page, content }),
  robots: async (body: Uint8Array) => readRobotsFile(body),
  sitemap: async (body: Uint8Array, base: string) => readSitemapFile(body, base),
}

export type ParseApi = typeof tasks

serveThread('parse', tasks)
