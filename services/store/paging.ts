// Lists that are answered a page at a time.

/** A page of a list in the order that the method names. `count` is the number of rows without paging. */
export interface Paged<Row> {
  count: number
  rows: Row[]
}

/** `offset` ≥ 0, `limit` 1 to 100: already checked by the caller. */
export interface PageRequest {
  offset: number
  limit: number
}

const defaultLimit = 20
const maxLimit = 100

/** What a request asks for. `limit` ≥ 1 where given and `offset` ≥ 0: the contract's rules have been checked. */
export function readPageRequest(request: { limit?: number | undefined; offset: number }): PageRequest {
  return { limit: Math.min(request.limit ?? defaultLimit, maxLimit), offset: request.offset }
}

/** All rows of a list, read a page at a time. */
export async function* listAll<Row>(
  list: (page: PageRequest) => Promise<Paged<Row>>,
  limit = maxLimit,
): AsyncGenerator<Row> {
  for (let offset = 0; ; offset += limit) {
    const { rows } = await list({ offset, limit })
    yield* rows
    if (rows.length < limit) return
  }
}

/** Exclusive upper bound of the strings that begin with the prefix. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`
}
