// Which segments to merge: tiers of like size, as in log-structured merge trees (O'Neil et al., 1996).
//
//   sizes 90k 900 200 200 200 200 : nothing · twelve more of 200: the sixteen of their tier become one
import type { Segment } from './segment.ts'

/** So many segments of a tier become one of the next. */
const tierWidth = 16
/** Bounds the memory of a merge; larger segments are merged only to drop what is gone. */
const maxUnits = 131_072
/** With this share of its units gone a segment is written anew. */
const goneShare = 0.25

/** Names of segments to make one of, or null. `everything`: as few as the bounds allow. */
export function chooseMerge(segments: Segment[], everything: boolean): string[] | null {
  const worn = segments.find((segment) => goneUnits(segment) > goneShare * segment.units)
  if (worn) return [worn.name]
  const small = segments.filter(({ units }) => units < maxUnits / 2)
  if (everything) return fill(small)
  const tiers = new Map<number, Segment[]>()
  for (const segment of small) {
    const tier = Math.floor(Math.log(segment.units) / Math.log(tierWidth))
    tiers.set(tier, [...(tiers.get(tier) ?? []), segment])
  }
  for (const tier of tiers.values()) if (tier.length >= tierWidth) return fill(tier)
  return null
}

/** The first few that fit into one segment; null when that is only one. */
function fill(segments: Segment[]): string[] | null {
  const chosen: string[] = []
  let units = 0
  for (const segment of [...segments].sort((a, b) => a.units - b.units)) {
    if (units + segment.units > maxUnits) break
    units += segment.units
    chosen.push(segment.name)
  }
  return chosen.length > 1 ? chosen : null
}

function goneUnits({ removed, runs }: Segment): number {
  return removed.reduce((sum, at) => sum + runs[at]!.units, 0)
}
