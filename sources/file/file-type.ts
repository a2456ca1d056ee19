// An uploaded file: one document, whose bytes are in the store.
import { normalizeUrl } from '../../crawler/url.ts'
import {
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'

/** Bytes of a file. */
export const maxFile = 10 * 1024 * 1024

export const fileType: SourceType = {
  identity: () => null,
  open: (source, tools) => createReader(source, tools),
  parser: async () => (await import('./file-parser.ts')).fileParser,
}

function createReader(source: SourceSettings, { base, bytes }: SourceTools): SourceReader {
  const { hash = '', fileName = '' } = source.options
  return {
    async *list() {
      yield { documents: [{ url: fileAddress(base, source.uuid, fileName) }] }
    },
    async fetch(_url, known) {
      if (known.etag === hash) return { kind: 'unchanged' }
      const body = await bytes(0, maxFile)
      if (body === null) throw new UnreadableSource('Its file is not there: upload it again.')
      return { kind: 'document', body, contentType: null, etag: hash, lastModified: null }
    },
  }
}

/** The page of Lectern's own that shows it. `base`: where Lectern is reached, without a closing slash. */
export function fileAddress(base: string, uuid: string, fileName: string): string {
  const address = `${base}/files/${uuid}/${encodeURIComponent(fileName)}`
  return normalizeUrl(address) ?? `${base}/files/${uuid}/`
}
