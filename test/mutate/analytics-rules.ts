// Analytics, documents and what they cost.
import type { Mutation } from './mutation.ts'

export const analyticsRulesMutations: Mutation[] = []
