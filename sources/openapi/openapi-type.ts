// Operations and schemas of an API description. Loads it, and the files that it refers to, through the shared fetcher.
import { createHash } from 'node:crypto'
import type { Fetcher } from '../../crawler/fetch.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import {
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import type {
  Check,
  DescriptionFile,
  Documents,
  ListedDocument,
  Missing,
  Renderer,
} from './openapi-parser.ts'

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
    return loadDescription<Documents>({ fetcher, signal, start, spec, secretHeaders }, (files, renderer) =>
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

/** Maximum depth of files that refer to files. */
const maxDepth = 10
/** Maximum bytes of all files. */
const maxBytes = 20 * 1024 * 1024
const timeoutMinutes = 2

const accept = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5'
const tooLarge = `The description has more than ${maxBytes / 1024 / 1024} MB with the files that it refers to.`
const tooSlow = `The description takes more than ${timeoutMinutes} minutes to load with all of its files.`

interface LoadOptions {
  fetcher: Fetcher
  signal: AbortSignal
  /** Address of the description or of a page that shows it. Empty for a given description. */
  start: string
  /** The description as JSON. */
  spec?: string | undefined
  /** Only sent to the origin of the description's address. */
  secretHeaders?: Record<string, string>
  /** Timeout for all files of the description. */
  timeoutMs?: number
}

/**
 * Calls `read` with the loaded files until it reports none missing. `renderer`: of the page that shows the description, or null.
 * Rejects with UnreadableSource.
 */
export async function loadDescription<Result extends Check | Documents>(
  { fetcher, signal, start, spec, secretHeaders = {}, timeoutMs = timeoutMinutes * 60_000 }: LoadOptions,
  read: (files: DescriptionFile[], renderer: Renderer | null) => Promise<Result | Missing>,
): Promise<Result> {
  const origin = URL.parse(start)?.origin
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, timeout])
  let bytesLeft = maxBytes

  async function fetchFile(url: string): Promise<DescriptionFile> {
    if (bytesLeft <= 0) return { url, fault: tooLarge }
    const isOwn = URL.parse(url)?.origin === origin
    const options = {
      headers: { accept },
      maxBytes: bytesLeft,
      signal: either,
      ...(isOwn && { secretHeaders }),
    }
    const answer = await fetcher.call(url, options).catch((error) => {
      signal.throwIfAborted()
      if (timeout.aborted) return null
      throw error
    })
    if (answer === null) return { url, fault: tooSlow }
    if (answer.kind === 'failed') return { url, fault: answer.message }
    const isSuccess = answer.status >= 200 && answer.status < 300
    if (!isSuccess) return { url, fault: `The server answered ${answer.status}.` }
    bytesLeft -= answer.body.length
    // Relative references resolve against the final address of the description.
    return { url: url === start ? answer.url : url, body: answer.body }
  }

  const given = new TextEncoder().encode(spec)
  bytesLeft -= given.length
  let files: DescriptionFile[] = [spec === undefined ? await fetchFile(start) : { url: start, body: given }]
  let renderer: Renderer | null = null
  for (let round = 0; ; round++) {
    const result = await read(files, renderer)
    if (result.kind === 'shown') {
      if (renderer !== null) throw new UnreadableSource('It is a page, which shows another page.')
      renderer = result.renderer
      bytesLeft = maxBytes
      files = [await fetchFile(result.url)]
    } else if (result.kind === 'wanted') {
      if (round > maxDepth) throw new UnreadableSource(`It refers to files more than ${maxDepth} deep.`)
      for (const url of result.urls) files.push(await fetchFile(url))
    } else return result
  }
}
