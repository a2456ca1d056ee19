// The plan of kills: most at named moments, each at least once, the rest at any time.
import type { Moment } from './doom.ts'

/** `any time`: seeded; while the process works or, for the second kill of a round, while it starts. */
export type Kill = Moment | 'any time'

export interface Round {
  /** While it works. */
  kill: Kill
  /** In the process that resumes the work of the previous one. */
  again: Kill | null
  /** The resuming process gets another sync request at once. */
  supersedes: boolean
  /** The index is lost with the process. */
  losesIndex: boolean
}

type Options = { nth?: number; late?: boolean }
const before = (call: string, { nth = 1, late = false }: Options = {}): Moment => ({
  call,
  nth,
  late,
  after: false,
})
const after = (call: string, { nth = 1, late = false }: Options = {}): Moment => ({
  call,
  nth,
  late,
  after: true,
})
const late = { late: true }

/**
 * Settle, remove, sweep, optimize, vocabulary, end: the steps of a run after it has walked its sources. One moment after each
 * write: a kill before the next write, or after a read, finds the same state. Files are written before their manifest.
 */
const afterWalk: Moment[] = [
  after('frontier.deferred', late),
  after('frontier.settle', late),
  after('pages.hold', late),
  after('pages.remove', late),
  after('pages.assignSources', late),
  after('addresses.forget', late),
  before('manifest.write', late),
  after('manifest.write', late),
  after('pages.forget', late),
  before('manifest.write', { ...late, nth: 2 }),
  after('manifest.write', { ...late, nth: 2 }),
  after('vocabulary.write', late),
  after('runs.finish', late),
  after('runs.appendLast', late),
]

/** Each leaves a run, and most leave units without a page, for the next process. */
const inWalk: Moment[] = [
  after('runs.start'),
  after('frontier.discover', { nth: 2 }),
  before('manifest.write', { nth: 2 }),
  after('index.add', { nth: 2 }),
  after('pages.publish', { nth: 3 }),
  after('frontier.settle', { nth: 2 }),
  after('sources.crawled'),
]

/** Between a caller's write and its answer. */
const inCalls: Moment[] = [
  after('runs.begin'),
  before('projects.insert'),
  after('sources.insert'),
  after('keys.insert'),
  after('projects.update'),
  before('chats.append', { nth: 2 }),
  after('chats.react'),
  after('limits.hit', { nth: 5 }),
]

/** In the process that resumes a run: cleanup, requeueing, and the end of the run. */
const takingUp: Kill[] = [
  after('runs.live'),
  after('index.remove'),
  after('runs.holds'),
  before('index.remove', late),
  before('runs.finish', late),
  'any time',
  'any time',
]

/** The rounds in order: those that leave the most work come first. */
export function planRounds(random: () => number): Round[] {
  const walk = inWalk.map((kill, at) => ({ kill, again: takingUp[at]! }))
  const others = [...afterWalk, ...inCalls, 'any time' as const].map((kill) => ({ kill, again: null }))
  return [...shuffled(walk, random), ...shuffled(others, random)].map(({ kill, again }, at) => ({
    kill,
    again,
    supersedes: at % 6 === 5,
    losesIndex: at % 16 === 8,
  }))
}

export function shuffled<Item>(items: Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
