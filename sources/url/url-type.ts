// One page of the web.

import type { SourceType } from '../source-type.ts'
import { createStartReader } from '../web/start-reader.ts'

export const urlType: SourceType = {
  covers: (start) => (url) => url.href === start.href,
  open: createStartReader,
  parser: async () => (await import('../web/web-parser.ts')).webParser,
}
