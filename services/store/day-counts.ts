// How often each thing was counted, by day in UTC. What a day adds up to is kept packed, so that a year is added up in a
// moment: each key as a hash, its text beside it for the few that are shown.
import { hash } from 'node:crypto'

export interface DayRange {
  /** `YYYY-MM-DD`; both are included. */
  from: string
  to: string
}

/** What a day adds up to by one measure. */
export interface DayCounts<Measure extends string = string> {
  day: string
  measure: Measure
  /** Of each key that was counted, see `hashOf`; all are different. */
  hashes: Float64Array
  /** How often, in the order of `hashes`. */
  counts: Uint32Array
}

/** Counts of rows that the store keeps: always of those that are there, what was erased left out. */
export interface CountedDays<Measure extends string> {
  /** By day, in order, then by measure; days on which nothing was counted are left out. */
  counts(project: string, range: DayRange, measures: readonly Measure[]): Promise<DayCounts<Measure>[]>
  /** The keys that were counted on these days, by hash. */
  countedKeys(project: string, days: readonly string[], measure: Measure): Promise<Map<number, string>>
}

/** 0 for '', which stands for what was counted without a key. 48 bits: a year has some hundred thousand keys. */
export function hashOf(key: string): number {
  return key === '' ? 0 : hash('sha256', key, 'buffer').readUIntBE(0, 6) + 1
}

/** A day's counts of one measure as they are stored. */
export interface PackedCounts {
  /** `hashes`, then `counts`, least byte first. */
  sums: Uint8Array
  /** A list as JSON. */
  keys: string
}

/** Adds up what was counted on a day. */
export function packDay<Measure extends string>(
  counted: Iterable<readonly [Measure, string]>,
): Map<Measure, PackedCounts> {
  const byMeasure = new Map<Measure, Map<string, number>>()
  for (const [measure, key] of counted) {
    let totals = byMeasure.get(measure)
    if (totals === undefined) {
      totals = new Map()
      byMeasure.set(measure, totals)
    }
    totals.set(key, (totals.get(key) ?? 0) + 1)
  }
  return new Map([...byMeasure].map(([measure, totals]) => [measure, pack(totals)]))
}

function pack(totals: Map<string, number>): PackedCounts {
  const hashes = Float64Array.from(totals.keys(), hashOf)
  const counts = Uint32Array.from(totals.values())
  return {
    sums: Buffer.concat([Buffer.from(hashes.buffer), Buffer.from(counts.buffer)]),
    keys: JSON.stringify([...totals.keys()]),
  }
}

export function unpack<Measure extends string>(
  day: string,
  measure: Measure,
  sums: Uint8Array,
): DayCounts<Measure> {
  const size = sums.byteLength / (Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT)
  // A copy of its own: numbers must begin at a multiple of their size.
  const { buffer } = Uint8Array.from(sums)
  return {
    day,
    measure,
    hashes: new Float64Array(buffer, 0, size),
    counts: new Uint32Array(buffer, size * Float64Array.BYTES_PER_ELEMENT, size),
  }
}

/** A day's keys by hash, as they were packed. */
export function readKeys({ sums, keys }: PackedCounts): [number, string][] {
  const { hashes } = unpack('', '', sums)
  return (JSON.parse(keys) as string[]).map((key, n) => [hashes[n]!, key])
}

/** Every day of the range, in order. */
export function daysBetween({ from, to }: DayRange): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}
