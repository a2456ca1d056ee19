// Finds a reference's best settings for a class of queries on both manuals, on the tuning halves only: one setting
// after the other takes the value with the best MRR@10, round and round until none gets better. References may have
// other settings for each class; Lectern has one configuration for all.
import { mean } from '../statistics.ts'
import { type Query, type ReferenceEngine, type Settings, toPages } from './engine.ts'
import { judge } from './judge.ts'

export interface TuningSet {
  queries: Query[]
  opened: ReturnType<ReferenceEngine['open']>
}

const maxRounds = 2
/** Of a manual's class: enough to choose by, in minutes rather than an hour. */
export const maxTuningQueries = 60

export async function tune(engine: ReferenceEngine, sets: TuningSet[]): Promise<Settings> {
  const rate = async (settings: Settings) => {
    const scores = await Promise.all(
      sets.map(({ queries, opened }) => judge(queries, (text) => toPages(opened.search(text, settings)))),
    )
    return mean(scores.map((score) => score['MRR@10']))
  }
  let best: Settings = Object.fromEntries(
    Object.entries(engine.choices).map(([name, values]) => [name, values[0]!]),
  )
  let bestRate = await rate(best)
  for (let round = 0, isBetter = true; round < maxRounds && isBetter; round++) {
    isBetter = false
    for (const [name, values] of Object.entries(engine.choices)) {
      for (const value of values) {
        if (value === best[name]) continue
        const candidate = { ...best, [name]: value }
        const candidateRate = await rate(candidate)
        if (candidateRate <= bestRate) continue
        best = candidate
        bestRate = candidateRate
        isBetter = true
      }
    }
  }
  return best
}
