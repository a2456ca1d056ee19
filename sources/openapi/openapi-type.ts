// Operations and schemas of an API description.
import { createHash } from 'node:crypto'
import { normalizeUrl } from '../../crawler/url.ts'
import {
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import { loadDescription } from './load-description.ts'
import type { Documents, ListedDocument } from './openapi-parser.ts'

export const openapiType: SourceType = {
  credentials: { required: ['header', 'value'] },
  open: createReader,
  parser: async () => (await import('./openapi-parser.ts')).openapiParser,
}

function createReader({ url, options }: SourceSettings, tools: SourceTools): SourceReader {
  const { fetcher, read, signal, credentials, ownPages } = tools
  const { header, value } = credentials ?? {}
  const secretHeaders = header && value ? { [header]: value } : {}
  const { spec, baseUrl } = options
  const start = spec === undefined ? (normalizeUrl(url) as string) : ''
  let documents = new Map<string, ListedDocument>()

  async function readDocuments(): Promise<Documents> {
    const from = spec === undefined ? { url: start } : { spec }
    return loadDescription<Documents>({ fetcher, signal, from, secretHeaders }, (files, renderer) =>
      read('documents', files, { url: baseUrl ?? start, ownPages, renderer: renderer ?? 'swagger-ui' }),
    ).catch((error: unknown) => {
      if (!(error instanceof UnreadableSource)) throw error
      throw new UnreadableSource(`The API description could not be read. ${error.message}`)
    })
  }

  return {
    async *list() {
      const found = await readDocuments()
      documents = new Map(found.documents.map((document) => [document.url, document]))
      const message = `The API description has more than ${found.documents.length} operations and schemas: the rest was left out.`
      yield { documents: found.documents, warnings: found.isCut ? [{ url: start || null, message }] : [] }
    },

    async fetch(url, known) {
      const document = documents.get(url)
      if (document === undefined) return { kind: 'gone', message: 'The API description no longer has it.' }
      const { body } = document
      const etag = createHash('sha256').update(body).digest('base64url')
      if (etag === known.etag) return { kind: 'unchanged' }
      return { kind: 'document', body, contentType: 'application/json', etag, lastModified: null }
    },
  }
}
