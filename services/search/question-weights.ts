// What the evidence for a candidate of a question weighs: fitted by `npm run bench -- fit` on the manuals that the
// benchmarks hold open, which says NO where these are not what it finds.
import type { MeaningEvidence, WordEvidence } from './question-evidence.ts'

/** Where there is nothing but words. */
export const byWords: Record<keyof WordEvidence, number> = {
  section: 3.8,
  covered: 4,
  page: 2.5,
  opening: 1.9,
  named: 2.5,
  proximity: 2.3,
  listing: -1.8,
  isFirst: -1.2,
  length: 1.5,
}

/** Where the question and its candidates have vectors. */
export const byMeaning: Record<keyof MeaningEvidence, number> = {
  section: 1.4,
  covered: 2.9,
  page: 1.5,
  opening: 0.8,
  named: 0.5,
  proximity: 1.4,
  listing: -2.4,
  isFirst: -0.3,
  length: 3.5,
  nearness: 3.4,
  pageNearness: 1.4,
}
