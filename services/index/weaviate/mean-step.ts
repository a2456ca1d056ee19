// How long the bodies of a project's units are on average, told by a sample of them: what scores are normalised by.
import { lengthStep } from '../segments/posting.ts'
import { readTerms } from './stored-unit.ts'
import type { Found, Tenant } from './tenant.ts'

/** Milliseconds until a sample is taken again. */
const keptFor = 60_000
/** Ids are digests: from each of these on, units stand in no order. */
const places = ['', '4', '8', 'c'].map((digit) =>
  digit === '' ? '' : `${digit}0000000-0000-8000-a000-000000000000`,
)
const atEachPlace = 100

/**
 * Mean length steps of bodies, as the embedded driver has them. Only the first query of a project waits for its sample; later
 * ones have the last while the next is taken.
 */
export function createMeanSteps(now: () => number = Date.now) {
  const kept = new Map<string, { mean: Promise<number>; takenAt: number }>()

  return (tenant: Tenant): Promise<number> => {
    const known = kept.get(tenant.name)
    if (known !== undefined && now() - known.takenAt < keptFor) return known.mean
    const taken = sample(tenant)
    const forget = () => kept.delete(tenant.name)
    if (known === undefined) {
      kept.set(tenant.name, { mean: taken, takenAt: now() })
      taken.catch(forget)
      return taken
    }
    known.takenAt = now()
    taken.then(() => kept.set(tenant.name, { mean: taken, takenAt: now() }), forget)
    return known.mean
  }
}

async function sample(tenant: Tenant): Promise<number> {
  const taken = await Promise.all(places.map((after) => tenant.some(atEachPlace, after, ['terms'])))
  const units = new Map<string, Found>(taken.flat().map((found) => [found.id, found]))
  let sum = 0
  for (const { properties } of units.values()) {
    const { bodyTerms } = readTerms(properties.terms!)
    sum += lengthStep(bodyTerms === '' ? 0 : bodyTerms.split(' ').length)
  }
  return sum / (units.size || 1)
}
