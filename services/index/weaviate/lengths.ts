// How long a project's units are on average, told by a sample of them: what scores are normalised by.
import { lengthStep } from '../segments/posting.ts'
import { readTerms } from './stored-unit.ts'
import type { Found, Tenant } from './tenant.ts'

export interface Lengths {
  /** Mean number of terms in the searched property, as Weaviate has it. */
  terms: number
  /** Mean length step of bodies, as the embedded driver has it. */
  bodyStep: number
}

/** Milliseconds until a sample is taken again. */
const keptFor = 60_000
/** Ids are digests: from each of these on, units stand in no order. */
const places = ['', '4', '8', 'c'].map((digit) =>
  digit === '' ? '' : `${digit}0000000-0000-8000-a000-000000000000`,
)
const atEachPlace = 100

/** Only the first query of a project waits for its sample; later ones have the last while the next is taken. */
export function createLengths(now: () => number = Date.now) {
  const kept = new Map<string, { lengths: Promise<Lengths>; takenAt: number }>()

  return (tenant: Tenant): Promise<Lengths> => {
    const known = kept.get(tenant.name)
    if (known !== undefined && now() - known.takenAt < keptFor) return known.lengths
    const taken = sample(tenant)
    const forget = () => kept.delete(tenant.name)
    if (known === undefined) {
      kept.set(tenant.name, { lengths: taken, takenAt: now() })
      taken.catch(forget)
      return taken
    }
    known.takenAt = now()
    taken.then(
      (lengths) => kept.set(tenant.name, { lengths: Promise.resolve(lengths), takenAt: now() }),
      forget,
    )
    return known.lengths
  }
}

async function sample(tenant: Tenant): Promise<Lengths> {
  const taken = await Promise.all(places.map((after) => tenant.some(atEachPlace, after, ['terms'])))
  const units = new Map<string, Found>(taken.flat().map((found) => [found.id, found]))
  const lengths = [...units.values()].map(({ properties }) => {
    const { titleTerms, headingTerms, bodyTerms } = readTerms(properties.terms!)
    const body = countTerms(bodyTerms)
    return { terms: countTerms(titleTerms) + 2 * countTerms(headingTerms) + body, step: lengthStep(body) }
  })
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
  return {
    terms: mean(lengths.map(({ terms }) => terms)) || 1,
    bodyStep: mean(lengths.map(({ step }) => step)),
  }
}

const countTerms = (terms: string) => (terms === '' ? 0 : terms.split(' ').length)
