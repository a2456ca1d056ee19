// What the evidence for a candidate of a question weighs: fitted by `npm run bench -- fit` on the manuals that the
// benchmarks hold open, which fails where these are not what it finds.
import type { MeaningEvidence, WordEvidence } from './question-evidence.ts'

/** Where there is nothing but words. */
export const byWords: Record<keyof WordEvidence, number> = {
  section: 3.9,
  covered: 4,
  page: 2.7,
  opening: 2.1,
  named: 2.4,
  closeness: 2.2,
  listing: -1.4,
  isFirst: -1.2,
  length: 1.3,
}

/** Where the question and its candidates have vectors. */
export const byMeaning: Record<keyof MeaningEvidence, number> = {
  section: 1.5,
  covered: 3.2,
  page: 1.7,
  opening: 1.3,
  named: 0.7,
  closeness: 1.5,
  listing: -1.7,
  isFirst: -0.5,
  length: 2.8,
  nearness: 3.4,
  pageNearness: 1.2,
}
