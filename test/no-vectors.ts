import type { QuestionVectors } from '../services/search/question-vectors.ts'

/** For searches by words. */
export const noVectors: QuestionVectors = { of: async () => ({ meaning: 'off', vector: null }) }
