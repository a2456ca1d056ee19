// What chat is given to answer from: the best units of a search, with what speaks for them.

import type { SourceType } from '../store/source.ts'
import type { Meaning } from './question-vectors.ts'

export interface PassageRequest {
  /** UUID. */
  project: string
  /** A question or keywords, as searched for. */
  q: string
  /** The page that the reader is on: a mild sign. */
  pageUrl: string | null
  /** 1 to 50. */
  limit: number
  /** Strict filters; null for all. */
  docVersion: string | null
  language: string | null
  sourceTypes: SourceType[] | null
}

export interface Passage {
  /** `{page}:{version}:{ordinal}` */
  unit: string
  /** UUID of the page. */
  page: string
  /** Ends in the section's anchor, where it has one. */
  url: string
  pageTitle: string
  /** The section's heading; the page's title above the first heading. */
  title: string
  /** Headings from the page's title down to this one's parent. */
  path: string[]
  /** As extracted, code in fences of backticks. */
  text: string
  /** SHA-256 of the indexed text, without fences, hex. */
  contentHash: string
  score: number
  /** Share of the question's words, weighted by idf, stop words left out, that the passage with its title and path holds: 0 to 1. */
  coverage: number
  /** Of `Passages.words`, those that neither the passage nor its title and path hold. */
  lacks: string[]
  /** Cosine of question and passage; null without vectors. */
  similarity: number | null
}

/** Best first; a page at most three times. */
export interface Passages {
  passages: Passage[]
  /** Words of the question, folded, stop words left out where there are others. */
  words: string[]
  /** Words of the question, folded, stop words left out, that no page of the project holds. */
  unknownWords: string[]
  /** Units of the project: the more there are, the more it says that none of them holds a word. */
  units: number
  /** The model whose cosines the passages' similarities are: those of two models are not alike. Null without vectors. */
  model: string | null
}

export interface FoundPassages extends Passages {
  meaning: Meaning
}
