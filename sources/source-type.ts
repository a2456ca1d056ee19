// The port of a source type: lists, fetches and parses its documents. Each type is a folder next to this file and a row in
// source-table.ts. The crawl does not depend on any type.
import type { ExtractedPage } from '../crawler/extract/page.ts'
import type { Fetcher } from '../crawler/fetch.ts'
import type { Reading, Validators } from '../crawler/fetch-result.ts'
import type { Robots } from '../crawler/robots.ts'
import type { Cover } from '../crawler/scope.ts'

export type { Reading, Validators } from '../crawler/fetch-result.ts'

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
   * The part of the web that a source covers. Its pages can be recrawled one by one and are checked for crawler traps, and links to
   * files that are not pages are skipped. Absent for documents other than web pages.
   */
  covers?: Cover
  /** Whether links on its pages are followed. */
  follows?: true
  /** Must be unique among sources of the type in a project. Default: the address. Null: sources may be equal. */
  identity?(source: Pick<SourceSettings, 'url' | 'options'>): string | null
  /** Credentials that a source of the type accepts. */
  credentials?: { required?: CredentialName[]; optional?: CredentialName[] }
  /** Does no I/O. Throws if the source's settings are invalid. */
  open(source: SourceSettings, tools: SourceTools): SourceReader | Promise<SourceReader>
  /** Loads the parser in a parse thread, with the first document of the type. */
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

/** Fields that only some types have. Unset fields are absent. */
export interface SourceOptions {
  /** Maximum concurrent requests to a host, for pages of the source. Null or absent: the default. */
  maxConnections?: number
  /** Minimum milliseconds between two requests to a host. */
  delayMs?: number
  branch?: string
  /** Base of the public addresses of the documents. */
  baseUrl?: string
  spaceKey?: string
  /** An API description as JSON, instead of an address. */
  spec?: string
  /** The upload: its id in the store, SHA-256 in hex, size in bytes, and file name. */
  blob?: string
  hash?: string
  size?: number
  fileName?: string
}

/** The fields of a source that a type reads. */
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
  /**
   * Runs a task of the type's parser in a parse thread. Rejects with UnreadableSource if the task does, or if it exceeds its time or
   * memory, which is then the cause.
   */
  read<Result>(task: string, ...input: unknown[]): Promise<Result>
  /** Reads up to `length` bytes of the source's upload. Null if the upload is gone. */
  bytes(from: number, length: number): Promise<Uint8Array | null>
  /** Base address at which Lectern shows documents without a web address: see own-address.ts. */
  ownPages: string
  /** Only use them in headers of the source's own requests. */
  credentials: Credentials | null
  /** Validators from the last read of each document, in the order of `urls`. Null for a new document. */
  known(urls: string[]): Promise<(Validators | null)[]>
  signal: AbortSignal
}

/** Reads one source in one run. */
export interface SourceReader {
  /**
   * Lists all documents, in one or several parts. Documents that are no longer listed are removed. Called before the first `fetch`, and
   * again in a resumed run, so it may keep state for `fetch` in memory. Throws UnreadableSource if listing fails.
   */
  list(): AsyncIterable<ListedDocuments>
  /**
   * Only for types without `covers`: whether an address can be fetched, after listing. Links and canonical addresses to others are
   * ignored. Globs select among them. Default: all listed addresses.
   */
  covers?(url: URL): boolean
  /** Reads a document that was listed or linked. Rejects only with the signal's reason, or on bugs. */
  fetch(url: string, known: Validators): Promise<Reading>
}

interface ListedDocuments {
  /** `url`: normalized by `normalizeUrl` (crawler/url.ts). `language`: from the list, if it has one. */
  documents: { url: string; language?: string | null }[]
  /** Parts of the list that could not be read, for the run's event log. If there are any, no page of the source is removed. */
  warnings?: { url: string | null; message: string }[]
}

/**
 * The source cannot be read in this run. Its pages stay. The message is a sentence for people, without secrets. Also thrown where a
 * document cannot be read.
 */
export class UnreadableSource extends Error {}

/** The result of a task, or why it failed: between threads, errors lose their class. */
export type TaskAnswer = { result: unknown } | { unreadable: string }

export async function answerTask(task: () => unknown): Promise<TaskAnswer> {
  try {
    return { result: await task() }
  } catch (error) {
    if (error instanceof UnreadableSource) return { unreadable: error.message }
    throw error
  }
}

/** Throws UnreadableSource if the task did. */
export function readTaskAnswer(answer: TaskAnswer): unknown {
  if ('unreadable' in answer) throw new UnreadableSource(answer.unreadable)
  return answer.result
}

/** Runs in the parse threads: only code there may parse untrusted content. */
export interface SourceParser {
  /** Never throws on an invalid document: it has no sections. */
  parse(document: ParsedDocument): ExtractedPage | Promise<ExtractedPage>
  /** Other work in the parse threads, by the task name of SourceTools.read. Input and result are copied. May throw UnreadableSource. */
  tasks?: Record<string, (...input: never[]) => unknown>
}

export interface ParsedDocument {
  url: string
  body: Uint8Array
  contentType: string | null
}
