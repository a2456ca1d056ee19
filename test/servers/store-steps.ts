// Steps of crawls in one project for random tests, and all queries about the project afterwards.
import fc from 'fast-check'
import type { Settlement } from '../../services/store/frontier.ts'
import type { PageVersion } from '../../services/store/page.ts'
import type { Outcome } from '../../services/store/run.ts'
import { at, event, listing, publication, run, settlement, url, whole } from '../contract/store-case.ts'
import type { Parts } from './mongodb-parts.ts'

export const paths = ['a', 'b', 'c', 'd']

/** The progress of the steps, from which their arguments are made. */
export interface Course {
  runs: number
  /** Grows with every publication, and with the minutes of the tests' day. */
  version: number
  fence: number
  swept: PageVersion[]
}

export const beginCourse = (): Course => ({ runs: 1, version: 0, fence: 1, swept: [] })

/** Updates the course to the state of the store. */
export async function updateCourse(course: Course, { runs, pages }: Parts): Promise<void> {
  const [live] = await runs.live()
  course.fence = live?.fence ?? course.fence
  course.runs = (await runs.list('p1', { offset: 0, limit: 1 })).count
  course.swept = await pages.swept('p1', 100)
}

/** A step with fixed arguments, so that it can be repeated and applied to two stores. */
export type Step = (parts: Parts) => Promise<unknown>

/** The description of the step, and the step itself for the current course. */
export interface Kind {
  name: string
  step(course: Course): Step
}

const path = fc.constantFrom(...paths)
const source = fc.constantFrom('s1', 's2')
const some = fc.uniqueArray(path, { minLength: 1, maxLength: 3 })
const outcome = fc.constantFrom<Outcome>('added', 'updated', 'unchanged', 'skipped', 'failed')

const runOf = (course: Course): string => `r${course.runs}`
const uuids = (of: string[]): string[] => of.map((each) => `page-${each}`)

const kind = <Choice>(
  name: string,
  choice: fc.Arbitrary<Choice>,
  make: (choice: Choice, course: Course) => Step,
): fc.Arbitrary<Kind> =>
  choice.map((chosen) => ({
    name: `${name} ${JSON.stringify(chosen)}`,
    step: (course) => make(chosen, course),
  }))

const toSettlement = (
  {
    path,
    diverts,
    ...each
  }: Pick<Settlement, 'source' | 'outcome' | 'deferred' | 'fetched'> & {
    path: string
    diverts: boolean
  },
  version: number,
): Settlement =>
  settlement(path, {
    ...each,
    event: each.deferred ? null : event(`${each.outcome}:${path}`, { message: `At ${version}.` }),
    ...(each.deferred && diverts ? { target: url('a') } : {}),
  })

const publishing = fc.record({
  pages: fc.uniqueArray(path, { minLength: 1, maxLength: 3 }),
  source,
  pinned: fc.boolean(),
  /** Fetched before the current version. */
  isLate: fc.boolean(),
  fenced: fc.boolean(),
})

export const kinds: fc.Arbitrary<Kind> = fc.oneof(
  kind('begin', fc.constant(null), (_, { runs }) => {
    return ({ runs: store }) => store.begin(run(`r${runs + 1}`, { createdAt: at(runs + 1) }))
  }),
  kind('finish', fc.constantFrom('completed', 'failed' as const), (status, course) => {
    return ({ runs }) => runs.finish(runOf(course), { status, at: at(50), error: null })
  }),
  kind(
    'append',
    some,
    (ids, course) =>
      ({ runs }) =>
        runs.append(
          runOf(course),
          ids.map((id) => event(id)),
        ),
  ),
  kind(
    'discover',
    fc.record({ some, source }),
    (chosen, course) =>
      ({ frontier }) =>
        frontier.discover(
          runOf(course),
          chosen.some.map((each) => listing(each, chosen.source)),
        ),
  ),
  kind(
    'settle',
    fc.array(
      fc.record({
        path,
        source,
        outcome,
        deferred: fc.boolean(),
        diverts: fc.boolean(),
        fetched: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    (all, course) => {
      const settlements = all.map((each) => toSettlement(each, course.version))
      return ({ frontier }) => frontier.settle(runOf(course), settlements)
    },
  ),
  kind(
    'reopen',
    fc.record({ path, source }),
    (chosen, course) =>
      ({ frontier }) =>
        frontier.reopen(runOf(course), [{ source: chosen.source, url: url(chosen.path) }]),
  ),
  kind('publish', publishing, (chosen, course) => {
    const version = 10 * ++course.version
    const fetchedAt = at(chosen.isLate ? 0 : course.version)
    const { source, pinned } = chosen
    const made = chosen.pages.map((each) =>
      publication(each, { version, fetchedAt, sources: [source], pinned }),
    )
    const fence = chosen.fenced ? course.fence : null
    return ({ pages }) => pages.publish('p1', fence, made)
  }),
  kind('seen', fc.record({ some, source }), (chosen, course) => {
    const fetchedAt = at(++course.version)
    const seen = uuids(chosen.some).map((uuid) => ({
      uuid,
      sources: [chosen.source],
      fetchedAt,
    }))
    return ({ pages }) => pages.seen('p1', course.fence, seen)
  }),
  kind('hold', some, (held, course) => {
    const fence = course.fence
    return ({ pages }) => pages.hold(runOf(course), fence, uuids(held))
  }),
  kind('remove', fc.record({ some, fenced: fc.boolean() }), (chosen, course) => {
    const fence = chosen.fenced ? course.fence : null
    return ({ pages }) => pages.remove('p1', fence, uuids(chosen.some))
  }),
  kind('assign', fc.subarray(['s1', 's2']), (unjudged, course) => {
    const fence = course.fence
    return ({ pages }) => pages.assignSources(runOf(course), fence, unjudged)
  }),
  kind('drop', fc.constant(null), (_, course) => {
    const run = runOf(course)
    return ({ addresses }) => addresses.forget(run)
  }),
  kind('forget', fc.nat(3), (most, course) => {
    const versions = course.swept.slice(0, most)
    return ({ pages }) => pages.forget('p1', versions)
  }),
)

export const deleteSource: Step = ({ sources }) => sources.delete('p1', 's2')

/** All query results of the parts about p1. */
export async function ask({ sources, runs, frontier, addresses, pages }: Parts, newest: string) {
  // First, since it completes what a killed process has left.
  const swept = await pages.swept('p1', 100)
  const all = (await runs.list('p1', whole)).rows
  const scanned = await pages.scan('p1', null, 100)
  return {
    swept: swept.map(({ page, version }) => `${page} ${version}`).toSorted(),
    sources: (await sources.all('p1')).map(({ uuid }) => uuid),
    listed: Object.fromEntries(await sources.pageCounts('p1')),
    pages: scanned,
    count: await pages.count('p1'),
    contents: await Promise.all(scanned.map(({ uuid }) => pages.content(uuid))),
    current: Object.fromEntries(await pages.current(uuids(paths))),
    runs: all,
    live: await runs.live(),
    events: await runs.events(newest, {}, whole),
    addresses: await addresses.list('p1', {}, whole),
    states: await frontier.states(newest, paths.map(url)),
    next: [await frontier.next(newest, 's1', 9), await frontier.next(newest, 's2', 9)],
    deferred: await frontier.deferred(newest, 9),
    diverted: [await frontier.deferred(newest, 9, 's1'), await frontier.deferred(newest, 9, 's2')],
    kept: [await frontier.kept(newest, 's1'), await frontier.kept(newest, 's2')],
    unlisted: (await pages.unlisted(newest, [])).map(({ uuid }) => uuid),
  }
}
