import type { QuestionVectors } from '../services/search/meaning.ts'

/** For searches by keywords. */
export const noVectors: QuestionVectors = { of: async () => ({ meaning: 'off', vector: null }) }
