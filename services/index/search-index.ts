// The index port: units of search, written once per page version, found by terms and by vectors. Any BM25 engine with property
// weights can implement it: prefixes, typing errors, phrases and ranking are shared code above it (services/search).
// The index does not know which version of a page is current. The page's row in the store says so, and callers drop units of
// other versions.

import type { FilePlace, SectionName } from '../../crawler/extract/page.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'

/** A section, or a part of one, of a version of a page. */
export interface Unit {
  /** `{page}:{version}:{ordinal}`. Writing an id twice creates one unit. */
  id: string
  /** UUID of the page. */
  page: string
  /** Version of the page. */
  version: number
  /** Position in the page, from 0. */
  ordinal: number
  url: string
  anchor: string | null
  kind: 'heading' | 'definition'
  pageTitle: string
  heading: string
  /** Further names of a definition; absent if there are none. */
  also?: SectionName[]
  path: string[]
  /** Text for readers, with code verbatim. */
  text: string
  /** Positions of code blocks and inline code in `text`: begin, end, begin, …; absent if there is none. */
  code?: number[]
  /** Set on all units of a section except the first. */
  continues?: true
  /** Location in a file; absent for web pages. */
  place?: FilePlace
  /** Share of lists, from 0 to 1 in hundredths: see createListingReader. Absent if 0. */
  listing?: number
  /** Analyzed terms, joined by one space: see services/index/analyze.ts. */
  titleTerms: string
  headingTerms: string
  bodyTerms: string
  /** Properties that a UnitFilter matches. */
  sourceType: SourceTypeName
  docVersion: string | null
  language: string | null
  boost: number
}

/** `{page}:{version}` */
export const toVersionKey = (page: string, version: number): string => `${page}:${version}`

export function parseVersionKey(key: string): { page: string; version: number } {
  const end = key.lastIndexOf(':')
  return { page: key.slice(0, end), version: Number(key.slice(end + 1)) }
}

export const toUnitId = (page: string, version: number, ordinal: number): string =>
  `${page}:${version}:${ordinal}`

/** Splits a unit's id into the version key and the ordinal. */
export function parseUnitId(id: string): { versionKey: string; ordinal: number } {
  const end = id.lastIndexOf(':')
  return { versionKey: id.slice(0, end), ordinal: Number(id.slice(end + 1)) }
}

export interface UnitFilter {
  docVersion?: string
  language?: string
  sourceTypes?: SourceTypeName[]
}

export interface TermQuery {
  /**
   * Analyzed terms of each word, at least one. A unit matches if any of its three fields contains any of them; title and
   * heading weigh more. Per word, only the best term scores.
   */
  words: { term: string; weight: number }[][]
  filter?: UnitFilter
  /** 1 to 1,000. */
  limit: number
}

export interface VectorQuery {
  /** Name of the vector's model. Only vectors of the same model are compared. */
  model: string
  /** Of any length but 0. */
  vector: Float32Array
  filter?: UnitFilter
  /** Restricts the search to these unit ids, at most 1,000. */
  among?: string[]
  /** 1 to 1,000. */
  limit: number
}

/** Hits are sorted best first. Scores are comparable within one result only. Of vectors, the score is the cosine, from -1 to 1. */
export interface Hit {
  unit: Unit
  score: number
}

export interface UnitVector {
  /** Unit id. */
  unit: string
  vector: Float32Array
}

/** Embedding progress of a project for a model. */
export interface Unembedded {
  /** Units in the index. */
  all: number
  /** Units in the requested languages. */
  total: number
  /** Units in the requested languages without a vector of the model. */
  waiting: number
  /** The first waiting units, up to the limit. */
  units: Unit[]
}

/** The terms of a project's units with their counts. */
export interface Vocabulary {
  /** Units counted. */
  units: number
  /** Sorted by UTF-16 code units. */
  terms: string[]
  /** Units that contain the term anywhere, and in headings. */
  counts: Uint32Array
  inHeadings: Uint32Array
}

export interface SearchIndex {
  /**
   * Adds units. Writing an id again changes nothing, so a failed call can be retried. Calls for one project are queued.
   * Resolves when the units can be found. Before that, and after a failure, some of them may be found.
   */
  add(project: string, units: Unit[]): Promise<void>
  /** Finds units by terms. An unknown project has no hits. A unit is found as soon as `add` resolves. */
  findByTerms(project: string, query: TermQuery): Promise<Hit[]>
  /** Returns the units with these ids, in any order. Skips unknown ids. At most 1,000 ids. */
  units(project: string, ids: string[]): Promise<Unit[]>
  /**
   * Sets the vectors of units. Some may be found before it resolves. A unit has one vector of each model: one that it already has
   * is kept. Unknown units are ignored. Rejects with DomainError(invalid) if the dimension differs from that of the model's
   * other vectors. Calls for one project are queued.
   */
  setVectors(project: string, model: string, vectors: UnitVector[]): Promise<void>
  /** Deletes a project's vectors of all models but this one. */
  keepVectors(project: string, model: string): Promise<void>
  /**
   * Returns the units without a vector of the model, among those in the languages (language.ts; null: all). `limit`: 0 to
   * 1,000. An unknown project has none.
   */
  unembedded(project: string, model: string, limit: number, languages?: string[] | null): Promise<Unembedded>
  /**
   * Finds the units with the nearest vectors. Skips units without a vector of the query's model. Rejects with
   * DomainError(invalid) if the dimension differs from that of the model's vectors.
   */
  findByVector(project: string, query: VectorQuery): Promise<Hit[]>
  /** Removes the units of versions of pages. Unknown versions are ignored. */
  remove(project: string, versions: { page: string; version: number }[]): Promise<void>
  /** Lists the versions of pages in the index, for cleanup and checks. */
  versions(project: string): AsyncIterable<{ page: string; version: number; units: number }>
  /** Counts the terms of all units, of all versions. Empty for an unknown project. */
  vocabulary(project: string): Promise<Vocabulary>
  /** Optimizes the index for search. Cheap if nothing was written. */
  optimize(project: string): Promise<void>
  /** Lists the projects that may have units, in any order, without dropped ones. */
  projects(): Promise<string[]>
  /** Removes all units of a project. An unknown project is not an error. */
  drop(project: string): Promise<void>
  /** Resolves if the index responds. Rejects with the cause otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}
