// Statistics of all benchmarks: times, medians, percentiles, and repeatable random numbers.

/** Milliseconds that the work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The middle value, or the mean of the two in the middle. NaN if empty. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The smallest value that `share` (0 to 1) of the values do not exceed (nearest rank). NaN if empty. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The field-by-field median of rows of numbers. */
export function medianRow<Row extends Record<string, number>>(rows: Row[]): Row {
  const fields = Object.keys(rows[0]!) as (keyof Row)[]
  return Object.fromEntries(fields.map((field) => [field, median(rows.map((row) => row[field]!))])) as Row
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32, Tommy Ettinger). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `count` of the items, each at most once, in an order determined by the seed (Fisher and Yates). */
export function sample<T>(items: readonly T[], count: number, random: () => number): T[] {
  const pool = [...items]
  for (let at = pool.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[pool[at], pool[other]] = [pool[other]!, pool[at]!]
  }
  return pool.slice(0, count)
}

/** A hash of a text with 32 bits (FNV-1a), to divide items by name rather than by position. */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
