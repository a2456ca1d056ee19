// The candidates of a question: what its words find and what is near in meaning, with how their pages open.
import type { Hit } from '../index/search-index.ts'
import { findNearest, type Nearest } from './nearest.ts'
import type { Candidates } from './question-evidence.ts'
import type { QuestionVector } from './question-vectors.ts'
import { firstStage, openings, type RetrieveDeps, type Wanted } from './retrieve.ts'

interface QuestionCandidates extends Candidates {
  /** Null without vectors. */
  nearest: Nearest | null
  /** What words find beyond the candidates; always ranked after them. */
  rest: Hit[]
}

/** `found`: by words, best first; `vector`: that of the question. The candidates are the same however many results are wanted. */
export async function addNearest(
  deps: RetrieveDeps,
  project: string,
  found: Hit[],
  vector: QuestionVector | null,
  wanted: Wanted,
): Promise<QuestionCandidates> {
  const best = found.slice(0, firstStage)
  const nearest = vector && (await findNearest(deps, project, vector, best, wanted))
  const hits = [...best, ...(nearest?.others ?? [])]
  const known = new Set(hits.map(({ unit }) => unit.id))
  const rest = found.filter(({ unit }) => !known.has(unit.id))
  return { hits, openings: await openings(deps, project, hits), nearest, rest }
}
