// Runs, recrawls, and what they do after a restart or an upgrade.
import type { Mutation } from './mutation.ts'

export const runsMutations: Mutation[] = []
