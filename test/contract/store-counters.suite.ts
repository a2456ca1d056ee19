// The contract of a run's counters: they add up after any sequence of steps and equal those of a simple model.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Outcome } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'
import { at, listing, run, type StoreCases, settlement, url, withProject } from './store-case.ts'

type Step =
  | { kind: 'begin' }
  | { kind: 'finish' }
  | { kind: 'discover'; paths: string[]; source: string }
  | { kind: 'settle'; path: string; source: string; outcome: Outcome; deferred: boolean; fetched: boolean }

const path = fc.constantFrom('a', 'b', 'c', 'd')
const source = fc.constantFrom('s1', 's2')
const outcome = fc.constantFrom<Outcome>('added', 'updated', 'unchanged', 'skipped', 'failed')

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'begin' }, { kind: 'finish' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('discover' as const),
      paths: fc.array(path, { maxLength: 4 }),
      source,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      path,
      source,
      outcome,
      deferred: fc.boolean(),
      fetched: fc.boolean(),
    }),
  },
)

interface Model {
  live: boolean
  outcomes: Map<string, { outcome: Outcome | null; deferred: boolean }>
  listings: Map<string, 'open' | 'walked' | 'declined'>
}

const keeps = (outcome: Outcome | null | undefined) =>
  outcome === 'added' || outcome === 'updated' || outcome === 'unchanged'

const settleModel = ({ outcomes, listings }: Model, step: Extract<Step, { kind: 'settle' }>): void => {
  const known = outcomes.get(step.path)
  if (known === undefined) return
  const walk = `${step.source} ${step.path}`
  const stays = listings.get(walk) === 'declined' && !keeps(step.outcome)
  if (listings.has(walk)) listings.set(walk, step.deferred || stays ? 'declined' : 'walked')
  if (known.outcome === null || (known.deferred && !step.deferred))
    outcomes.set(step.path, { outcome: step.outcome, deferred: step.deferred })
}

/** Applies the step to the store and the model; returns the uuid of the newest run. */
const apply = async (store: Store, model: Model, step: Step, runs: number): Promise<number> => {
  const uuid = `r${runs}`
  if (step.kind === 'begin') {
    await store.runs.begin(run(`r${runs + 1}`, { createdAt: at(runs + 1) }))
    model.live = true
    model.outcomes.clear()
    model.listings.clear()
    return runs + 1
  }
  if (step.kind === 'finish') {
    await store.runs.finish(uuid, { status: 'completed', at: at(runs), error: null })
    model.live = false
    return runs
  }
  if (step.kind === 'discover')
    await store.frontier.discover(
      uuid,
      step.paths.map((path) => listing(path, step.source)),
    )
  else await store.frontier.settle(uuid, [settlement(step.path, { ...step, url: url(step.path) })])
  if (!model.live) return runs
  if (step.kind === 'settle') settleModel(model, step)
  else
    for (const path of step.paths) {
      if (!model.outcomes.has(path)) model.outcomes.set(path, { outcome: null, deferred: false })
      const walk = `${step.source} ${path}`
      if (!model.listings.has(walk)) model.listings.set(walk, 'open')
    }
  return runs
}

const check = async (store: Store, model: Model, runs: number): Promise<void> => {
  const pages = (await store.runs.get('p1', `r${runs}`))?.pages
  assert(pages !== undefined)
  const { discovered, pending, added, updated, unchanged, skipped, failed } = pages
  assert.equal(discovered, added + updated + unchanged + skipped + failed + pending)
  const counted = { added: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, pending: 0 }
  for (const { outcome, deferred } of model.outcomes.values())
    counted[outcome === null || deferred ? 'pending' : outcome]++
  assert.deepEqual({ added, updated, unchanged, skipped, failed, pending }, counted)
  if (!model.live) return
  for (const source of ['s1', 's2']) {
    const kept = [...model.listings].filter(([walk, state]) => {
      const known = model.outcomes.get(walk.slice(3))
      return walk.startsWith(source) && state !== 'declined' && !known?.deferred && keeps(known?.outcome)
    })
    assert.equal(await store.frontier.kept(`r${runs}`, source), kept.length)
  }
  const paths = [...model.outcomes.keys()]
  assert.deepEqual(
    (await store.frontier.states(`r${runs}`, paths.map(url))).map((state) => [
      state?.outcome,
      state?.deferred,
    ]),
    paths.map((path) => [model.outcomes.get(path)?.outcome, model.outcomes.get(path)?.deferred]),
  )
}

export const counterCases: StoreCases = {
  async 'the counters add up after any sequence of begin, discover, settle and finish'(store) {
    await withProject(store)
    await store.runs.begin(run('r1', { createdAt: at(1) }))
    let runs = 1
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (steps) => {
        const model: Model = { live: false, outcomes: new Map(), listings: new Map() }
        runs = await apply(store, model, { kind: 'begin' }, runs)
        for (const each of steps) {
          runs = await apply(store, model, each, runs)
          await check(store, model, runs)
        }
      }),
      { numRuns: 40, endOnFailure: true },
    )
  },
}
