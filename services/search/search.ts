// Search, from a reader's query to results: understand, retrieve, rank, present.
import { readUrlPattern, type UrlPattern } from '../../crawler/glob.ts'
import { invalidField } from '../errors.ts'
import { fold, toWords } from '../index/analyze.ts'
import type { SearchIndex, UnitFilter } from '../index/search-index.ts'
import { toDocVersion } from '../index/units.ts'
import { toBareLanguage } from '../language.ts'
import type { Store } from '../store/store.ts'
import { correctQuestion } from './correct.ts'
import { unknownWords } from './forms.ts'
import type { Meaning, QuestionVectorResult, QuestionVectors } from './meaning.ts'
import type { FoundPassages, PassageRequest } from './passage.ts'
import { present, presentPassage, type SearchResult, withText } from './present.ts'
import { type Ranked, rank } from './rank.ts'
import { retrieve } from './retrieve.ts'
import { contentGroups, type ParsedQuery, understand } from './understand.ts'
import { countMatches, type Lookup, toLookup } from './unit-match.ts'
import { createVocabularies, type Vocabulary } from './vocabulary.ts'

export interface UrlFilter {
  /** The request's field with the pattern, for errors. */
  field: string
  /** RE2, case-insensitive, matched anywhere in a page's address. */
  pattern: string
}

export interface SearchQuery extends PassageRequest {
  /** Null: all pages. */
  urlFilter: UrlFilter | null
  isExplained?: boolean
}

export interface SearchAnswer {
  /** Best first, with at most three results of a page. */
  results: SearchResult[]
  /** Null for a name, which is searched by words only. */
  meaning: Meaning | null
  explanation?: Explanation
}

export interface Explanation {
  /** Words of the query. */
  words: string[]
  /** For each result, in order: the words that it contains, and its cosine to the query. */
  results: { matched: string[]; similarity: number | null }[]
}

/** Maximum results of a page. */
const maxOfPage = 3
/** Maximum results of a section. A long section may have the answer in one unit and its context in another. */
const maxOfSection = { search: 1, passages: 2 }
/** Milliseconds to wait for the question's vector, in a search while typing and in an answer. */
const vectorTimeouts = { search: 150, passages: 2_000 }

export interface SearchDeps {
  store: Pick<Store, 'pages' | 'vocabulary'>
  index: SearchIndex
  questionVectors: QuestionVectors
  now?: () => number
}

/** `search` rejects with DomainError(invalid) if the URL pattern is invalid or too large. */
export function createSearch({ store, index, questionVectors, now = Date.now }: SearchDeps) {
  const vocabularies = createVocabularies(store.vocabulary, now)
  const deps = { index, pages: store.pages }

  async function find(
    request: PassageRequest,
    query: ParsedQuery,
    vectorResult: Promise<QuestionVectorResult>,
    admits: (url: string) => boolean,
    maxOfSection: number,
  ) {
    const { project, pageUrl, limit } = request
    const wanted = { filter: toFilter(request), admits, enough: Math.max(2 * limit, 20) }
    const vector = vectorResult.then(({ vector }) => vector)
    const candidates = await retrieve(deps, project, query, vector, wanted)
    const ranked = limitByPage(rank(candidates, query, pageUrl), limit, maxOfSection)
    const found = (await withText(index, project, ranked)).map((entry) => ({
      ...entry,
      similarity: candidates.nearest?.similarity(entry.hit.unit.id) ?? null,
    }))
    const { meaning } = await vectorResult
    // Similarities are used only if all passages have a vector. One may be missing if its language is unsupported or it still waits.
    const embedded = found.filter(({ similarity }) => similarity !== null)
    const isUnembedded = meaning === 'used' && found.length > 0 && embedded.length === 0
    const model = embedded.length === found.length ? ((await vector)?.model ?? null) : null
    return { found, model, meaning: isUnembedded ? ('unembedded' as const) : meaning }
  }

  return {
    async search(request: SearchQuery): Promise<SearchAnswer> {
      const { q, project } = request
      const admits = createUrlFilter(request.urlFilter)
      const query = understand(q, await vocabularies.of(project), true)
      const vectorResult = query.isQuestion ? questionVectors.of(q, vectorTimeouts.search) : byWords
      const { found, meaning } = await find(request, query, vectorResult, admits, maxOfSection.search)
      const lookup = toLookup(query.groups)
      return {
        results: found.map((entry) => present(entry, lookup)),
        meaning: query.isQuestion ? meaning : null,
        ...(request.isExplained && { explanation: explain(found, query, lookup) }),
      }
    },

    async passages(request: PassageRequest): Promise<FoundPassages> {
      const vocabulary = await vocabularies.of(request.project)
      const { q, corrections } = correctQuestion(request.q, vocabulary)
      const vectorResult = questionVectors.of(q, vectorTimeouts.passages)
      const query = understand(q, vocabulary, false)
      const { found, ...result } = await find(request, query, vectorResult, () => true, maxOfSection.passages)
      return {
        ...result,
        q,
        corrections: corrections.map(({ typed, term }) => ({ typed, term: toWritten(term, found) })),
        // Coverage is measured by the words as typed.
        passages: found.map((entry) => presentPassage(entry, query.typed)),
        words: contentGroups(query.typed).map(({ word }) => word),
        unknownWords: unknownWords(q, vocabulary),
        units: vocabulary.units,
        language: await readLanguage(index, request, vocabulary),
      }
    },
  }
}

const sampledUnits = 100
const commonestTerms = new WeakMap<Vocabulary, string | undefined>()

/** The language of most units with the most common term. */
async function readLanguage(
  index: SearchIndex,
  request: PassageRequest,
  vocabulary: Vocabulary,
): Promise<string | null> {
  const { terms, counts } = vocabulary
  if (!commonestTerms.has(vocabulary))
    commonestTerms.set(vocabulary, terms[counts.indexOf(counts.reduce((most, n) => Math.max(most, n), 0))])
  const term = commonestTerms.get(vocabulary)
  if (term === undefined) return null
  const query = { words: [[{ term, weight: 1 }]], filter: toFilter(request), limit: sampledUnits }
  const hits = await index.findByTerms(request.project, query)
  const tags = hits.flatMap(({ unit }) => (unit.language === null ? [] : [toBareLanguage(unit.language)]))
  const groups = [...Map.groupBy(tags, (tag) => tag).values()]
  return groups.find(({ length }) => 2 * length > hits.length)?.[0] ?? null
}

/** Returns a term as spelled in the results: `gerat` → `Gerät`. */
function toWritten(term: string, found: Ranked[]): string {
  const words = found.flatMap(({ hit: { unit } }) => toWords(`${unit.heading} ${unit.text}`))
  const written = words.map(({ text }) => text).filter((text) => fold(text) === term)
  return written.includes(term) ? term : (written[0] ?? term)
}

function explain(
  found: (Ranked & { similarity: number | null })[],
  { groups }: ParsedQuery,
  lookup: Lookup,
): Explanation {
  const results = found.map(({ hit, similarity }) => {
    const matches = countMatches(hit.unit, groups, lookup).groups
    const matched = groups.filter((_, at) => Object.values(matches[at]!).some((weight) => weight > 0))
    return { matched: matched.map(({ word }) => word), similarity }
  })
  return { words: groups.map(({ word }) => word), results }
}

/** Names are searched by words only. */
const byWords: Promise<QuestionVectorResult> = Promise.resolve({ meaning: 'off', vector: null })

/** The first `limit` entries, with at most three of a page and `maxOfSection` of a section. */
function limitByPage(ranked: Ranked[], limit: number, maxOfSection: number): Ranked[] {
  const counts = new Map<string, number>()
  const chosen: Ranked[] = []
  for (const entry of ranked) {
    const { page, anchor, heading } = entry.hit.unit
    const section = `${page} ${anchor ?? heading}`
    const [ofPage, ofSection] = [counts.get(page) ?? 0, counts.get(section) ?? 0]
    if (ofPage >= maxOfPage || ofSection >= maxOfSection) continue
    counts.set(page, ofPage + 1)
    counts.set(section, ofSection + 1)
    chosen.push(entry)
    if (chosen.length === limit) break
  }
  return chosen
}

function toFilter({ docVersion, language, sourceTypes }: PassageRequest): UnitFilter {
  return {
    ...(docVersion !== null && { docVersion: toDocVersion(docVersion) }),
    ...(language !== null && { language }),
    ...(sourceTypes !== null && { sourceTypes }),
  }
}

/**
 * Maximum instructions of the pattern times characters of addresses per search: at most some 200 ms. A pattern of 30
 * instructions can test 3,000 addresses of 100 characters.
 */
export const maxWork = 10_000_000

/**
 * Creates a predicate for addresses. Call it with the best pages first: once the work limit is reached, it admits no
 * others. Throws DomainError(invalid) if the pattern is invalid or too large.
 */
export function createUrlFilter(filter: UrlFilter | null): (url: string) => boolean {
  if (filter === null) return () => true
  const pattern = compile(filter)
  const known = new Map<string, boolean>()
  let work = 0
  return (url) => {
    let admitted = known.get(url)
    if (admitted === undefined) {
      work += pattern.size * url.length
      admitted = work <= maxWork && pattern.test(url)
      known.set(url, admitted)
    }
    return admitted
  }
}

function compile({ field, pattern }: UrlFilter): UrlPattern {
  try {
    return readUrlPattern(pattern, { ignoreCase: true })
  } catch (error) {
    throw invalidField(field, (error as Error).message)
  }
}
