// From ranked units to the results that a reader sees.
import type { SourceType } from '../store/source.ts'
import { toFragment } from './fragment.ts'
import type { Ranked } from './rank.ts'
import { headFor, type Lookup } from './unit-match.ts'

export interface SearchResult {
  /** The section's heading, of several names the one asked for; the page's title above the first heading. */
  title: string
  pageTitle: string
  /** Ends in the section's anchor, where it has one. */
  url: string
  /** Plain text of at most 300 characters. */
  fragment: string
  score: number
  domain: string
  isTitleMatch: boolean
  sourceType: SourceType
  /** UUID of the page. */
  documentId: string
  content: string
  /** Of a file: the page from 1, or the sheet. */
  page?: number
  sheet?: string
}

export function present({ hit: { unit }, score, isTitleMatch }: Ranked, lookup: Lookup): SearchResult {
  const { heading, anchor } = headFor(unit, lookup)
  return {
    title: heading || unit.pageTitle,
    pageTitle: unit.pageTitle,
    url: anchor === null ? unit.url : `${unit.url}#${anchor}`,
    fragment: toFragment(unit, lookup),
    score,
    domain: new URL(unit.url).host,
    isTitleMatch,
    sourceType: unit.sourceType,
    documentId: unit.page,
    content: unit.text,
    ...unit.place,
  }
}
