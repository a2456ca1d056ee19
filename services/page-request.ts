// The page of a list that a request asks for: 20 where not told, at most 100.
import type { PageRequest } from './store/paging.ts'

const defaultLimit = 20
const maxLimit = 100

/** `limit` ≥ 1 where given and `offset` ≥ 0: the contract's rules have been checked. */
export function readPageRequest(request: { limit?: number | undefined; offset: number }): PageRequest {
  return { limit: Math.min(request.limit ?? defaultLimit, maxLimit), offset: request.offset }
}
