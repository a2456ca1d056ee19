// The port of a source type: how its documents are listed, fetched and parsed. Each type is a folder next to this file and a row in
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
   * The part of the web whose pages it takes. The pages can be recrawled one by one, are watched for traps, and links to files that
   * are not pages are skipped. Absent for documents of another kind.
   */
  covers?: Cover
  /** Whether links on its pages are followed. */
  follows?: true
  /** What no other source of the type in the project may share; by default the address. Null: sources may be equal. */
  identity?(source: Pick<SourceSettings, 'url' | 'options'>): string | null
  /** Credentials that a source of the type takes. */
  credentials?: { required?: CredentialName[]; optional?: CredentialName[] }
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
  /** Sent with each request to the source's own host. Names in lower case. */
  headers?: Record<string, string>
}

export type CredentialName = keyof Credentials

/** Fields that only some types have; unset ones are left out. */
export interface SourceOptions {
  /** Requests at once to a host, while pages of the source are read; null or absent: the default. */
  maxConnections?: number
  /** Least time between two requests to a host. */
  delayMs?: number
  branch?: string
  /** Where the documents are served as a site, or shown. */
  baseUrl?: string
  spaceKey?: string
  /** An API description as JSON, in place of an address. */
  spec?: string
  /** What was uploaded: its id in the store, SHA-256 in hex, size in bytes, and the file's own name. */
  blob?: string
  hash?: string
  size?: number
  fileName?: string
}

/** What a type reads of a source's row. */
export interface SourceSettings {
  uuid: string
  type: SourceTypeName
  /** Empty for a source without an address. */
  url: string
  include: string[]
  exclude: string[]
  options: SourceOptions
}

export interface SourceTools {
  fetcher: Fetcher
  robots: Robots
  /** Runs a task of the type's parser in a parse thread. Rejects with UnreadableSource when the task exceeds its time or memory. */
  read<Result>(task: string, ...input: unknown[]): Promise<Result>
  /** Up to `length` bytes of the source's upload; null when the upload is gone. */
  bytes(from: number, length: number): Promise<Uint8Array | null>
  /** Where Lectern itself shows documents that have no address on the web: see own-address.ts. */
  ownPages: string
  /** Only for the headers of the source's own requests. */
  credentials: Credentials | null
  /** Validators of the documents as they were last read, in the order of `urls`; null for a new document. */
  known(urls: string[]): Promise<(Validators | null)[]>
  signal: AbortSignal
}

/** Reads one source in one run. */
export interface SourceReader {
  /**
   * Lists all documents, in one part or as they are found: a document that is no longer listed is removed. Called before the first
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

/** Identify the state of a document: it is not read again while they are equal. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** `status`: that of the HTTP answer, where there is one. */
export type Reading = { status?: number } & (
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
)

/** What runs in the parse threads: the only code that may read what strangers wrote. */
export interface SourceParser {
  /** Never throws on a bad document: without text it has no sections. */
  parse(document: ParsedDocument): ExtractedPage | Promise<ExtractedPage>
  /** Other work in the parse threads, by the name that SourceTools.read takes. Input and result are copied. */
  tasks?: Record<string, (...input: never[]) => unknown>
}

export interface ParsedDocument {
  url: string
  body: Uint8Array
  contentType: string | null
}
