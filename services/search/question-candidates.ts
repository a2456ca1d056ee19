// The candidates of a question: what its words find and what is near in meaning, with how their pages open.
import type { Hit } from '../index/search-index.ts'
import { findNearest, type Nearest } from './nearest.ts'
import type { Candidates } from './question-evidence.ts'
import type { QuestionVector } from './question-vectors.ts'
import { firstStage, openings, type RetrieveDeps, retrieve, type Wanted } from './retrieve.ts'
import type { ParsedQuery } from './understand.ts'

export interface QuestionCandidates extends Candidates {
  /** Null without vectors. */
  nearest: Nearest | null
  /** What words find beyond the candidates; always ranked after them. */
  rest: Hit[]
}

/** `question`: its vector, as soon as it is there. The candidates are the same however many results are wanted. */
export async function findCandidates(
  deps: RetrieveDeps,
  project: string,
  query: ParsedQuery,
  question: Promise<QuestionVector | null>,
  wanted: Wanted,
): Promise<QuestionCandidates> {
  const found = await retrieve(deps, project, query, wanted)
  const best = found.slice(0, firstStage)
  const vector = await question
  const nearest = vector && (await findNearest(deps, project, vector, best, wanted))
  const hits = [...best, ...(nearest?.others ?? [])]
  const known = new Set(hits.map(({ unit }) => unit.id))
  const rest = found.filter(({ unit }) => !known.has(unit.id))
  return { hits, openings: await openings(deps, project, hits), nearest, rest }
}
