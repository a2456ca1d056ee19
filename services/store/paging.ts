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
