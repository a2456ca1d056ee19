// Pages, status, events, export and the command line.
import type { Mutation } from './mutation.ts'

export const operatorCallsMutations: Mutation[] = []
