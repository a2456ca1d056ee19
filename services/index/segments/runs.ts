// Where units are in a file. Those of one version of a page are rows side by side, called a run.
//
//   runs p:1 at 0, 2 rows; q:1 at 2, 1 row · ordinals 0 1 0 · row('p:1', 1) → 1
import { toVersionKey } from '../search-index.ts'

export interface Run {
  page: string
  version: number
  /** The first row, and the number of rows. */
  first: number
  length: number
}

/** Appends a row to the last run, or begins one. */
export function appendToRuns(runs: Run[], { page, version }: Pick<Run, 'page' | 'version'>, row: number) {
  const last = runs.at(-1)
  if (last?.page === page && last.version === version) last.length++
  else runs.push({ page, version, first: row, length: 1 })
}

/** `ordinals`: of each row. A version of a page has one run. */
export function createRunIndex(runs: Run[], ordinals: Uint32Array) {
  let numbers: Map<string, number> | null = null

  function find(version: string): number {
    numbers ??= new Map(runs.map((run, number) => [toVersionKey(run.page, run.version), number]))
    return numbers.get(version) ?? -1
  }

  return {
    /** Number of the run of a version, or -1. */
    find,

    /** The row of a unit, or -1. */
    row(version: string, ordinal: number): number {
      const run = runs[find(version)]
      if (run === undefined) return -1
      const { first, length } = run
      // Where no unit of the version is missing, this is the row.
      const likely = first + ordinal - ordinals[first]!
      if (likely < first + length && ordinals[likely] === ordinal) return likely
      const at = ordinals.subarray(first, first + length).indexOf(ordinal)
      return at < 0 ? -1 : first + at
    },
  }
}
