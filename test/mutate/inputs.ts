// Sources, uploads, the network and readers of strangers' files.
import type { Mutation } from './mutation.ts'

export const inputsMutations: Mutation[] = []
