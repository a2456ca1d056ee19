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

/** Adds up what was counted on a day; a busy one comes in parts. */
export interface Tally<Measure extends string> {
  add(counted: Iterable<readonly [Measure, string]>): void
  pack(): Map<Measure, PackedCounts>
}

export function createTally<Measure extends string>(): Tally<Measure> {
  const byMeasure = new Map<Measure, { counts: Map<string, number>; hashes: number[] }>()

  return {
    add(counted) {
      for (const [measure, key] of counted) {
        let of = byMeasure.get(measure)
        if (of === undefined) {
          of = { counts: new Map(), hashes: [] }
          byMeasure.set(measure, of)
        }
        const count = of.counts.get(key) ?? 0
        if (count === 0) of.hashes.push(hashOf(key))
        of.counts.set(key, count + 1)
      }
    },
    pack() {
      const packed = [...byMeasure].map(([measure, { counts, hashes }]) => {
        const numbers = [Float64Array.from(hashes), Uint32Array.from(counts.values())]
        const sums = Buffer.concat(numbers.map(({ buffer }) => Buffer.from(buffer)))
        return [measure, { sums, keys: JSON.stringify([...counts.keys()]) }] as const
      })
      return new Map(packed)
    },
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
