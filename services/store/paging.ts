// Paged lists.

/** A page of a list. `count`: total number of rows. */
export interface Paged<Row> {
  count: number
  rows: Row[]
}

/** `offset` ≥ 0, `limit` from 1 to 100, checked by the caller. */
export interface PageRequest {
  offset: number
  limit: number
}

const defaultLimit = 20
const maxLimit = 100

/** Reads the page of a validated request. */
export function readPageRequest(request: { limit?: number | undefined; offset: number }): PageRequest {
  return { limit: Math.min(request.limit ?? defaultLimit, maxLimit), offset: request.offset }
}

/** Yields all rows of a list, read page by page. */
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

/** Yields all rows of `scan`, which returns at most `limit` rows after the last row of its previous call. */
export async function* scanAll<Row>(scan: (last: Row | undefined) => Promise<Row[]>, limit: number) {
  for (let last: Row | undefined; ; ) {
    const rows = await scan(last)
    yield* rows
    if (rows.length < limit) return
    last = rows.at(-1)
  }
}

/** Exclusive upper bound of the strings that begin with the prefix. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`
}
