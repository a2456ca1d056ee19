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
  section: 1.4,
  covered: 2.8,
  page: 1.9,
  opening: 0.7,
  named: 0.4,
  closeness: 1.5,
  listing: -2.3,
  isFirst: -0.1,
  length: 3.3,
  nearness: 3.4,
  pageNearness: 1.4,
}
