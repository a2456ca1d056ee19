// The index port: units of search, written once per page version, found by terms and by vectors.
// It is cut to what a BM25 engine with property weights can do. Prefixes, typing errors, phrases and ranking are
// shared code above it (services/search). Publishing is not the index's business: a unit belongs to one version of
// a page, and the store's page row says which version is current; units of other versions are dropped by the reader.

import type { FilePlace, SectionName } from '../../crawler/extract/page.ts'
import type { SourceType } from '../store/source.ts'

/** A section of one version of a page, ready to be found. */
export interface Unit {
  /** `{page}:{version}:{ordinal}`; the same id written twice is one unit. */
  id: string
  /** UUID of the page. */
  page: string
  /** Version of the page that this unit belongs to. */
  version: number
  /** Position in the page, from 0. */
  ordinal: number
  url: string
  anchor: string | null
  kind: 'heading' | 'definition'
  pageTitle: string
  heading: string
  /** Further names of its definition; absent if there are none. */
  also?: SectionName[]
  path: string[]
  /** Text that a person reads, code verbatim. */
  text: string
  /** Where code, blocks of it and code within a line, begins and ends in `text`: begin, end, begin, …; left out where there is none. */
  code?: number[]
  /** Set on all units of a section but the first. */
  continues?: true
  /** Its place in a file; left out for web pages. */
  place?: FilePlace
  /** Share of lists in it, from 0 to 1 in hundredths: see createListingReader. Left out where it is 0. */
  listing?: number
  /** Analyzed terms, joined by one space: see services/index/analyze.ts. */
  titleTerms: string
  headingTerms: string
  bodyTerms: string
  /** Sources that list the page are the store's business; these are the strict filters. */
  sourceType: SourceType
  docVersion: string | null
  language: string | null
  boost: number
  keywords: string[]
}

/** `{page}:{version}` */
export const toVersionKey = (page: string, version: number): string => `${page}:${version}`

export function parseVersionKey(key: string): { page: string; version: number } {
  const end = key.lastIndexOf(':')
  return { page: key.slice(0, end), version: Number(key.slice(end + 1)) }
}

/** The key of its page's version, and the ordinal. */
export function parseUnitId(id: string): { versionKey: string; ordinal: number } {
  const end = id.lastIndexOf(':')
  return { versionKey: id.slice(0, end), ordinal: Number(id.slice(end + 1)) }
}

export interface UnitFilter {
  docVersion?: string
  language?: string
  sourceTypes?: SourceType[]
}

export interface TermQuery {
  /**
   * Analyzed terms of each word; at least one. A unit matches when any of its three fields holds any of them, which counts
   * for more in headings. Per word, only the unit's best term scores.
   */
  words: { term: string; weight: number }[][]
  filter?: UnitFilter
  /** 1 to 1,000. */
  limit: number
}

export interface VectorQuery {
  /** Name of the model that made the vector: only vectors of the same one are compared. */
  model: string
  /** Of any length but 0. */
  vector: Float32Array
  filter?: UnitFilter
  /** Ids: only these units. At most 1,000. */
  among?: string[]
  /** 1 to 1,000. */
  limit: number
}

/** Best first. `score` compares only within one answer; of vectors it is the cosine, from -1 to 1. */
export interface Hit {
  unit: Unit
  score: number
}

export interface UnitVector {
  /** Id of a unit. */
  unit: string
  vector: Float32Array
}

/** How far a project's units have vectors of a model. */
export interface Unembedded {
  /** Units in the index. */
  all: number
  /** Those of the languages that are asked about. */
  total: number
  /** Those without a vector of the model. */
  waiting: number
  /** The first of them, at most as many as asked for. */
  units: Unit[]
}

/** The terms of a project's units with their counts. */
export interface Vocabulary {
  /** Units counted. */
  units: number
  /** Sorted by UTF-16 code units. */
  terms: string[]
  /** Units that hold the term anywhere, and in headings. */
  counts: Uint32Array
  inHeadings: Uint32Array
}

export interface SearchIndex {
  /**
   * Adds units. Writing an id again changes nothing: a call that failed is made again. Calls for one project are queued; the
   * promise settles when the units can be found. Before it does, and after it has failed, readers may find some of them.
   */
  add(project: string, units: Unit[]): Promise<void>
  /** Finds by terms. An unknown project has no hits. A unit is found by its exact terms as soon as `add` settles. */
  findByTerms(project: string, query: TermQuery): Promise<Hit[]>
  /** The units of these ids, in any order, without those that never were in the index. At most 1,000 ids. */
  units(project: string, ids: string[]): Promise<Unit[]>
  /**
   * Gives units vectors, all of one dimension; until it settles readers may find some of them. A project has vectors of one
   * model: those of another go with the first call that names a new one, even one without vectors. A unit that has one
   * of the model keeps it, one that is not in the index is ignored. Another dimension than that of the model's
   * vectors is a DomainError(invalid). Calls for one project are queued.
   */
  setVectors(project: string, model: string, vectors: UnitVector[]): Promise<void>
  /**
   * The units that have no vector of the model yet, among those of the languages (language.ts; null: every). `limit` from
   * 0 to 1,000. An unknown project has none.
   */
  unembedded(project: string, model: string, limit: number, languages?: string[] | null): Promise<Unembedded>
  /**
   * Finds by nearness. Units without a vector of the query's model are left out; another dimension than that of the
   * model's vectors is a DomainError(invalid).
   */
  findByVector(project: string, query: VectorQuery): Promise<Hit[]>
  /** Takes units out for good by page and version. Unknown ones are ignored. */
  remove(project: string, versions: { page: string; version: number }[]): Promise<void>
  /** Versions of pages that have units in the index, for the sweep and for checks. */
  versions(project: string): AsyncIterable<{ page: string; version: number; units: number }>
  /** Counts the terms of all units, those of every version; empty for an unknown project. */
  vocabulary(project: string): Promise<Vocabulary>
  /** Makes the units written so far quick to search; cheap when nothing was written. */
  optimize(project: string): Promise<void>
  /** Projects that may have units, in any order; a dropped one is not among them. */
  projects(): Promise<string[]>
  /** Removes every unit of a project. Missing is no error. */
  drop(project: string): Promise<void>
  /** Resolves when the index answers; rejects with the cause otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}
