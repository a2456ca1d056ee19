// Where units stand now: from page, version and ordinal to a segment and a place in it.
import { runKey, type Segment } from './segment.ts'

interface UnitPlace {
  segment: Segment
  place: number
}

/** Runs of a page version that are not removed; a version may lie in several segments. */
type LiveRun = { segment: Segment; first: number; units: number }

/** Place of a unit, or null where there is none any more. The runs of a version are looked up once. */
export function createUnitPlaces(segments: Segment[]) {
  const known = new Map<string, LiveRun[]>()

  function runsOf(key: string): LiveRun[] {
    let runs = known.get(key)
    if (runs === undefined) {
      runs = segments.flatMap((segment) =>
        (segment.runPlaces().get(key) ?? []).flatMap((at) => {
          const { first, units } = segment.runs[at]!
          return segment.gone?.[first] ? [] : [{ segment, first, units }]
        }),
      )
      known.set(key, runs)
    }
    return runs
  }

  return {
    of(page: string, version: number, ordinal: number): UnitPlace | null {
      for (const { segment, first, units } of runsOf(runKey(page, version))) {
        const { ordinals } = segment
        // Where the run is whole, the unit stands right here.
        const likely = first + ordinal - ordinals[first]!
        if (likely < first + units && ordinals[likely] === ordinal) return { segment, place: likely }
        for (let place = first; place < first + units; place++) {
          if (ordinals[place] === ordinal) return { segment, place }
        }
      }
      return null
    },
    has: (page: string, version: number): boolean => runsOf(runKey(page, version)).length > 0,
  }
}

export type UnitPlaces = ReturnType<typeof createUnitPlaces>
