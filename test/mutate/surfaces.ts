// REST, the socket, MCP and HTTP.
import type { Mutation } from './mutation.ts'

export const surfacesMutations: Mutation[] = []
