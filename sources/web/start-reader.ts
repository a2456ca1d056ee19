// A source of the web that begins at its own address.
import { normalizeUrl } from '../../crawler/url.ts'
import type { SourceReader, SourceSettings, SourceTools } from '../source-type.ts'
import { createWebFetch } from './web-reader.ts'

export function createStartReader({ url }: SourceSettings, tools: SourceTools): SourceReader {
  const start = normalizeUrl(url) as string
  return {
    async *list() {
      yield { documents: [{ url: start }] }
    },
    fetch: createWebFetch(tools),
  }
}
