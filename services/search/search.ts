// Search from a reader's words to results: understand, retrieve, rank, present.
import type { SearchIndex, UnitFilter } from '../index/search-index.ts'
import { toDocVersion } from '../index/variant.ts'
import type { Store } from '../store/store.ts'
import type { FoundPassages, PassageRequest } from './passage.ts'
import { present, presentPassage, type SearchResult, tellingOf, withText } from './present.ts'
import type { Meaning, MeantQuestion, QuestionVectors } from './question-vectors.ts'
import { type Ranked, rankNames, rankQuestion } from './rank.ts'
import { addNearest, findNearest, type Nearest, retrieve } from './retrieve.ts'
import { isQuestion, type ParsedQuery, understand, understandQuestion } from './understand.ts'
import { toLookup } from './unit-match.ts'
import { createUrlFilters, type UrlFilter } from './url-filter.ts'
import { createVocabularies, unknownWords } from './vocabulary.ts'

export type { UrlFilter }

export interface SearchRequest extends PassageRequest {
  /** Which pages are searched; null for all. */
  urlFilter: UrlFilter | null
}

export interface SearchAnswer {
  /** Best first; a page at most three times. */
  results: SearchResult[]
  /** Null for what is no question: it is searched for by its words. */
  meaning: Meaning | null
}

/** Results of one page, so that none fills the answer. */
const maxOfPage = 3
/** Milliseconds that a search as one types waits for the vector of its question, and that an answer waits. */
const vectorTimeouts = { search: 150, passages: 2_000 }

export interface SearchDeps {
  store: Pick<Store, 'pages' | 'vocabulary'>
  index: SearchIndex
  questionVectors: QuestionVectors
  /** Milliseconds. */
  now?: () => number
}

/** `search` rejects with DomainError(invalid) on a pattern that is none or too large. */
export function createSearch({ store, index, questionVectors, now = Date.now }: SearchDeps) {
  const vocabularies = createVocabularies(store.vocabulary, now)

  const urlFilters = createUrlFilters()
  const deps = { index, pages: store.pages }

  /** `meant`: the vector of the question, as soon as it is there; null for a search by words. */
  async function find(
    request: PassageRequest,
    query: ParsedQuery,
    admits: (url: string) => boolean,
    meant: Promise<MeantQuestion> | null,
    maxOfSection = 1,
  ) {
    const { project, q, pageUrl, limit } = request
    const wanted = { filter: toFilter(request), admits, enough: Math.max(2 * limit, 20) }
    const shown = async (ranked: Ranked[], nearest: Nearest | null) =>
      withSimilarity(await withText(index, project, groupByPage(ranked, limit, maxOfSection)), nearest)
    const hits = await retrieve(deps, project, query, wanted)
    const vector = (await meant)?.vector ?? null
    if (!isQuestion(q)) {
      const nearest = vector && (await findNearest(deps, project, vector, hits, wanted))
      return shown(rankNames(hits, query, pageUrl), nearest)
    }
    const { nearest, rest, ...candidates } = await addNearest(deps, project, hits, vector, wanted)
    const ranked = [
      ...rankQuestion(candidates, query, pageUrl, nearest?.nearness),
      ...rankQuestion({ ...candidates, hits: rest }, query, pageUrl),
    ]
    return shown(ranked, nearest)
  }

  return {
    async search(request: SearchRequest): Promise<SearchAnswer> {
      const admits = urlFilters.of(request.urlFilter)
      const vocabulary = await vocabularies.of(request.project)
      const asked = isQuestion(request.q)
      const meant = asked ? questionVectors.of(request.q, vectorTimeouts.search) : null
      const query = asked
        ? understandQuestion(request.q, vocabulary, 'unknown')
        : understand(request.q, vocabulary, 'any')
      const found = await find(request, query, admits, meant)
      const lookup = toLookup(query.groups)
      return {
        results: found.map((entry) => present(entry, lookup)),
        meaning: meant && toMeaning(await meant, found),
      }
    },

    async passages(request: PassageRequest): Promise<FoundPassages> {
      const meant = questionVectors.of(request.q, vectorTimeouts.passages)
      const vocabulary = await vocabularies.of(request.project)
      // How much of the question a passage covers is judged by the reader's own words.
      const typed = understand(request.q, vocabulary, 'none')
      const query = isQuestion(request.q) ? understandQuestion(request.q, vocabulary, 'none') : typed
      const found = await find(request, query, () => true, meant, partsOfSection)
      return {
        passages: found.map((entry) => presentPassage(entry, typed)),
        words: tellingOf(typed.groups).map(({ word }) => word),
        unknownWords: unknownWords(request.q, vocabulary),
        meaning: toMeaning(await meant, found),
        units: vocabulary.units,
        model: isEmbedded(found) ? ((await meant).vector?.model ?? null) : null,
      }
    },
  }
}

/** Where a passage has no vector, in a language that the model does not know or not yet, nearness does not tell them apart. */
function isEmbedded(found: { similarity: number | null }[]): boolean {
  return found.every(({ similarity }) => similarity !== null)
}

/** The first `limit`, a page at most three times, a section once; more often where its parts are wanted. */
function groupByPage(ranked: Ranked[], limit: number, maxOfSection = 1): Ranked[] {
  const ofPage = new Map<string, number>()
  const ofSection = new Map<string, number>()
  const chosen: Ranked[] = []
  for (const entry of ranked) {
    const { page, anchor, heading } = entry.hit.unit
    const shown = ofPage.get(page) ?? 0
    const section = `${page} ${anchor ?? heading}`
    const parts = ofSection.get(section) ?? 0
    if (shown >= maxOfPage || parts >= maxOfSection) continue
    ofPage.set(page, shown + 1)
    ofSection.set(section, parts + 1)
    chosen.push(entry)
    if (chosen.length === limit) break
  }
  return chosen
}

/** A long section is several units: an answer may stand in one and its beginning in another. */
const partsOfSection = 2

function withSimilarity(ranked: Ranked[], nearest: Nearest | null) {
  return ranked.map((entry) => ({ ...entry, similarity: nearest?.similarity(entry.hit.unit.id) ?? null }))
}

function toMeaning({ meaning }: MeantQuestion, found: { similarity: number | null }[]): Meaning {
  const isInVain = found.length > 0 && found.every(({ similarity }) => similarity === null)
  return meaning === 'used' && isInVain ? 'unembedded' : meaning
}

function toFilter({ docVersion, language, sourceTypes }: PassageRequest): UnitFilter {
  return {
    ...(docVersion !== null && { docVersion: toDocVersion(docVersion) }),
    ...(language !== null && { language }),
    ...(sourceTypes !== null && { sourceTypes }),
  }
}
