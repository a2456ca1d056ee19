// An uploaded file: one document, whose bytes are in the store.
import { ownAddress } from '../own-address.ts'
import {
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import { formatOfFile } from './formats.ts'

/** Maximum bytes of a file. */
export const maxFile = 10 * 1024 * 1024

export const fileType: SourceType = {
  identity: () => null,
  open: (source, tools) => createReader(source, tools),
  parser: async () => (await import('./file-parser.ts')).fileParser,
}

function createReader(source: SourceSettings, { ownPages, bytes }: SourceTools): SourceReader {
  const { hash = '', fileName = '' } = source.options
  // For names too long for an address. The extension selects the reader.
  const short = `file.${formatOfFile(fileName)}`
  const url = (ownAddress(ownPages, fileName) ?? ownAddress(ownPages, short)) as string
  return {
    async *list() {
      yield { documents: [{ url }] }
    },
    async fetch(_url, known) {
      if (known.etag === hash) return { kind: 'unchanged' }
      const body = await bytes(0, maxFile)
      if (body === null) throw new UnreadableSource('Its file is not there: upload it again.')
      return { kind: 'document', body, contentType: null, etag: hash, lastModified: null }
    },
  }
}
