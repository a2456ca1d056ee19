// Who may do what: keys, roles, teams, chats and their limits.
import type { Mutation } from './mutation.ts'

export const accessMutations: Mutation[] = []
