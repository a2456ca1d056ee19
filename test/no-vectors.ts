import type { QuestionVectors } from '../services/search/meaning.ts'

/** For searches by words. */
export const noVectors: QuestionVectors = { of: async () => ({ meaning: 'off', vector: null }) }
