// Search ranking, answers and the citation check.
import type { Mutation } from './mutation.ts'

export const answersMutations: Mutation[] = []
