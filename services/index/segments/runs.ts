// Where units are in a file. A run is rows side by side with units of one version of a page whose ordinals follow each other.
//
//   units p:1:0, p:1:1, p:1:5 → a run of 2 rows at 0 from ordinal 0, one of 1 row at 2 from ordinal 5
import { toVersionKey } from '../search-index.ts'

export interface Run {
  page: string
  version: number
  /** Of its first unit. */
  ordinal: number
  /** The first row, and the number of rows. */
  first: number
  length: number
}

/** Appends a row to the last run, or begins one. */
export function appendToRuns(
  runs: Run[],
  { page, version, ordinal }: Pick<Run, 'page' | 'version' | 'ordinal'>,
  row: number,
) {
  const last = runs.at(-1)
  const goesOn = last?.page === page && last.version === version && last.ordinal + last.length === ordinal
  if (goesOn) last.length++
  else runs.push({ page, version, ordinal, first: row, length: 1 })
}

export function createRunIndex(runs: Run[]) {
  let numbers: Map<string, number[]> | null = null

  /** Numbers of the runs of a version. */
  function find(versionKey: string): number[] {
    numbers ??= Map.groupBy(runs.keys(), (number) => {
      const { page, version } = runs[number]!
      return toVersionKey(page, version)
    })
    return numbers.get(versionKey) ?? []
  }

  return {
    find,
    /** The row of a unit, or -1. */
    row(versionKey: string, ordinal: number): number {
      for (const number of find(versionKey)) {
        const run = runs[number]!
        const at = ordinal - run.ordinal
        if (at >= 0 && at < run.length) return run.first + at
      }
      return -1
    },
  }
}
