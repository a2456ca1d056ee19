// Files of a sitemap, and the pages that they list.
import { readSitemapFile } from '../../crawler/sitemap-file.ts'
import type { SourceParser } from '../source-type.ts'
import { webParser } from '../web/web-parser.ts'

export const sitemapParser: SourceParser = {
  ...webParser,
  tasks: { entries: (body: Uint8Array, base: string) => readSitemapFile(body, base) },
}
