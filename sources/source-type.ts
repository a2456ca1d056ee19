// What a source type is: how its documents are listed, fetched and parsed. Each type is a folder beside this file and a row in
// source-table.ts; the crawl knows no type by its name.
import type { ExtractedPage } from '../crawler/extract/page.ts'
import type { Fetcher } from '../crawler/fetch.ts'
import type { FailReason } from '../crawler/fetch-result.ts'
import type { Robots } from '../crawler/robots.ts'
import type { Cover } from '../crawler/scope.ts'

export type SourceTypeName =
  | 'url'
  | 'site'
  | 'sitemap'
  | 'repository'
  | 'openapi'
  | 'confluence'
  | 'file'
  | 'hosted_site'

export interface SourceType {
  /**
   * The part of the web whose pages it takes. They can be recrawled one by one, are watched for traps, and addresses of files
   * that are no pages are passed over. Left out where it lists documents of another kind.
   */
  covers?: Cover
  /** Whether links of its pages lead on. */
  follows?: true
  /** What no other source of the type in the project may have: its address, where this is left out; null: nothing is. */
  identity?(source: Pick<SourceSettings, 'url' | 'options'>): string | null
  /** What it takes to be read with; none where left out. */
  credentials?: { required: CredentialName[]; optional?: CredentialName[] }
  /** Does no I/O. Throws where the source's settings cannot be read. */
  open(source: SourceSettings, tools: SourceTools): SourceReader | Promise<SourceReader>
  /** Loaded in the parse threads, when the first document of the type comes. */
  parser(): Promise<SourceParser>
}

export interface Credentials {
  token?: string
  header?: string
  value?: string
  email?: string
}

export type CredentialName = keyof Credentials

/** Fields that only some types have; what is not set is left out. */
export interface SourceOptions {
  branch?: string
  /** Where the documents are served as a site, or shown. */
  baseUrl?: string
  spaceKey?: string
  /** An API description as JSON, where it has no address. */
  spec?: string
  /** What was uploaded: its id in the store, SHA-256 in hex, size in bytes, and the file's own name. */
  blob?: string
  hash?: string
  size?: number
  fileName?: string
}

/** What of a source's row its type reads. */
export interface SourceSettings {
  uuid: string
  type: SourceTypeName
  /** Empty where it has none. */
  url: string
  include: string[]
  exclude: string[]
  options: SourceOptions
}

export interface SourceTools {
  fetcher: Fetcher
  robots: Robots
  /** Has a task of the type's parser done in a parse thread. Rejects with UnreadableSource where it takes more time or memory than it may. */
  read<Result>(task: string, ...input: unknown[]): Promise<Result>
  /** At most so many bytes of what was uploaded for it; null where that is not there. */
  bytes(from: number, length: number): Promise<Uint8Array | null>
  /** Where Lectern itself shows those of its documents that have no address on the web: see own-address.ts. */
  ownPages: string
  /** Null where it has none. Only for the headers of its own requests. */
  credentials: Credentials | null
  /** By what documents were known when they were read last, in the order of `urls`; null where one is not. */
  known(urls: string[]): Promise<(Validators | null)[]>
  signal: AbortSignal
}

/** Reads one source in one run. */
export interface SourceReader {
  /**
   * Lists all of its documents, at once or as they are found: what is not listed any more is removed. Called before the first
   * `fetch`, and again in a run that is resumed: it may keep in memory what `fetch` needs. Throws UnreadableSource where they cannot be listed.
   */
  list(): AsyncIterable<ListedDocuments>
  /**
   * For what has not `covers` in its type: the addresses that it can fetch, once it has listed. Links and canonical addresses lead to
   * no others, and globs choose among them. Left out: all that it lists.
   */
  covers?(url: URL): boolean
  /** Reads a document that was listed, or that a link led to. Rejects only with the signal's reason, and on faults of our own. */
  fetch(url: string, known: Validators): Promise<Reading>
}

interface ListedDocuments {
  /** Addresses by `normalizeUrl` (crawler/url.ts); `language` where the list names it. */
  documents: { url: string; language?: string | null }[]
  /** What of the list could not be read, for the run's event log: then no page of the source is removed. */
  warnings?: { url: string | null; message: string }[]
}

/** The source cannot be read in this run; its pages stay. The message is a sentence for people, without secrets. */
export class UnreadableSource extends Error {}

/** What a document was known by when it was read last; equal ones mean that it need not be read again. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

export type Reading =
  | ({
      kind: 'document'
      body: Uint8Array
      contentType: string | null
      /** The value of the header X-Robots-Tag. */
      robotsTag?: string | null
      /** Of the header Content-Language. */
      language?: string | null
      /** In place of the title that the document gives itself. */
      title?: string | null
    } & Validators)
  /** The known validators still hold. */
  | { kind: 'unchanged' }
  | { kind: 'gone'; message: string }
  | { kind: 'redirect'; to: string }
  /** `answered`: whether a server was asked. */
  | { kind: 'skipped'; reason: 'robots' | 'no_content' | 'excluded'; message: string; answered: boolean }
  | { kind: 'failed'; reason: FailReason; message: string; answered: boolean }

/** What runs in the parse threads: the only code that may read what strangers wrote. */
export interface SourceParser {
  /** Never throws on a bad document: one without text has no sections. */
  parse(document: ParsedDocument): ExtractedPage | Promise<ExtractedPage>
  /** What else of the type is read there, by name, for SourceTools.read. What goes in and comes out is copied. */
  tasks?: Record<string, (...input: never[]) => unknown>
}

export interface ParsedDocument {
  url: string
  body: Uint8Array
  contentType: string | null
}
