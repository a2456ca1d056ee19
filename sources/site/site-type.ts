// Pages of a host below a folder, by links.
import type { SourceType } from '../source-type.ts'
import { createStartReader } from '../web/start-reader.ts'

export const siteType: SourceType = {
  covers(start) {
    const folder = folderOf(start.pathname)
    const itself = folder.slice(0, -1)
    return (url) => url.host === start.host && (url.pathname.startsWith(folder) || url.pathname === itself)
  },
  follows: true,
  open: createStartReader,
  parser: async () => (await import('../web/web-parser.ts')).webParser,
}

/** `/docs` and `/docs/` → `/docs/`; `/docs/a.html` → `/docs/`: a last segment with an ending is a page. */
function folderOf(path: string): string {
  if (path.endsWith('/')) return path
  const cut = path.lastIndexOf('/') + 1
  return /\.[a-z][a-z0-9]{1,5}$/i.test(path.slice(cut)) ? path.slice(0, cut) : `${path}/`
}
