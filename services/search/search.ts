// Search from a reader's words to results: understand, retrieve, rank, present (design.md "Search").
import { RE2JS } from 're2js'
import { DomainError } from '../errors.ts'
import type { SearchIndex, UnitFilter } from '../index/search-index.ts'
import { toDocVersion } from '../index/variant.ts'
import type { PageContent } from '../store/page.ts'
import type { Store } from '../store/store.ts'
import { groupByPage } from './group-by-page.ts'
import type { PassageRequest, Passages } from './passage.ts'
import { present, type SearchResult } from './present.ts'
import { presentPassage } from './present-passage.ts'
import { rank } from './rank.ts'
import { retrieve } from './retrieve.ts'
import { type Understood, understand } from './understand.ts'
import { toLookup } from './unit-match.ts'
import { unknownWords } from './unknown-words.ts'
import { createVocabularies } from './vocabularies.ts'

export interface SearchRequest extends PassageRequest {
  /** RE2, case-insensitive, found anywhere in a page's URL; null for all pages. */
  urlPattern: string | null
}

export interface SearchAnswer {
  /** Best first; a page at most three times. */
  results: SearchResult[]
}

export interface SearchDeps {
  store: Pick<Store, 'pages' | 'vocabulary'>
  index: SearchIndex
  /** Milliseconds. */
  now?: () => number
}

/** `search` rejects with DomainError(invalid) on a pattern that is none. */
export function createSearch({ store, index, now = Date.now }: SearchDeps) {
  const vocabularies = createVocabularies(store.vocabulary, now)

  async function find(request: PassageRequest, query: Understood, admits: (url: string) => boolean) {
    const hits = await retrieve({ index, pages: store.pages }, request.project, query, {
      filter: toFilter(request),
      admits,
      enough: Math.max(2 * request.limit, 20),
    })
    return groupByPage(rank(hits, query, request.pageUrl), request.limit)
  }

  return {
    async search(request: SearchRequest): Promise<SearchAnswer> {
      const admits = toAdmits(request.urlPattern)
      const query = understand(request.q, await vocabularies.of(request.project))
      const found = await find(request, query, admits)
      const lookup = toLookup(query.groups)
      return { results: found.map((entry) => present(entry, lookup)) }
    },

    async passages(request: PassageRequest): Promise<Passages> {
      const vocabulary = await vocabularies.of(request.project)
      const query = understand(request.q, vocabulary, false)
      const found = await find(request, query, () => true)
      const contents = new Map<string, PageContent | null>()
      for (const { page } of found.map(({ hit }) => hit.unit)) {
        if (!contents.has(page)) contents.set(page, await store.pages.content(page))
      }
      return {
        passages: found.map((entry) =>
          presentPassage(entry, query, contents.get(entry.hit.unit.page) ?? null),
        ),
        unknownWords: unknownWords(request.q, vocabulary),
      }
    },
  }
}

function toFilter({ docVersion, language, sourceTypes }: PassageRequest): UnitFilter {
  return {
    ...(docVersion !== null && { docVersion: toDocVersion(docVersion) }),
    ...(language !== null && { language }),
    ...(sourceTypes !== null && { sourceTypes }),
  }
}

function toAdmits(urlPattern: string | null): (url: string) => boolean {
  if (urlPattern === null) return () => true
  const pattern = compile(urlPattern)
  const known = new Map<string, boolean>()
  return (url) => {
    let admitted = known.get(url)
    if (admitted === undefined) {
      admitted = pattern.matcher(url).find()
      known.set(url, admitted)
    }
    return admitted
  }
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch {
    const takes = 'must be a regular expression in RE2 syntax'
    throw new DomainError('invalid', `domain_filter: ${takes}.`, { domain_filter: [takes] })
  }
}
