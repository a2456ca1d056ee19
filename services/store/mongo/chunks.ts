// Long work in pieces that others get between.

/** Does the pieces of `rows` one after the other, until one of them answers false. */
export async function inChunks<Row>(
  rows: Row[],
  size: number,
  work: (chunk: Row[]) => Promise<boolean>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += size) if (!(await work(rows.slice(at, at + size)))) return
}

/** What a cursor gives, in pieces of the size. */
export async function* chunked<Row>(rows: AsyncIterable<Row>, size: number): AsyncGenerator<Row[]> {
  let chunk: Row[] = []
  for await (const row of rows) {
    chunk.push(row)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
