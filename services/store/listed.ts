// Lists that are answered a stretch at a time.

/** A stretch of a list in the order that the method names. `count` is the number of rows without the stretch. */
export interface Listed<Row> {
  count: number
  rows: Row[]
}

/** `offset` ≥ 0, `limit` 1 to 100: already checked by the caller. */
export interface Stretch {
  offset: number
  limit: number
}
