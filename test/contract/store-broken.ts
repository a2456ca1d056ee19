// Stores that break exactly one promise each: wrappers over a good one. The suite must notice every one of them.
import { Conflict } from '../../services/errors.ts'
import type { Paged } from '../../services/store/paging.ts'
import type { Store } from '../../services/store/store.ts'
import type { storeCases } from './store.suite.ts'
import { at, content } from './store-case.ts'

export interface BrokenStore {
  /** The promise that is broken. */
  promise: string
  /** Whose cases must notice. */
  noun: keyof typeof storeCases
  breaks: (good: Store) => Store
}

/** The good store with some methods of one noun replaced. */
export const instead = <Noun extends keyof Store>(
  noun: Noun,
  methods: (good: Store) => Partial<Store[Noun]>,
): ((good: Store) => Store) => {
  return (good) => ({ ...good, [noun]: { ...(good[noun] as object), ...methods(good) } })
}

export const reversed = async <Row>(list: Promise<Paged<Row>>): Promise<Paged<Row>> => {
  const { count, rows } = await list
  return { count, rows: rows.toReversed() }
}

/** Runs `work`, and takes a Conflict for success. */
const careless = async (work: Promise<void>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
  }
}

export const brokenStores: BrokenStore[] = [
  {
    promise: 'a hash belongs to one key',
    noun: 'keys',
    breaks: instead('keys', ({ keys }) => ({ insert: (key) => careless(keys.insert(key)) })),
  },
  {
    promise: 'a key is seen in its team only',
    noun: 'keys',
    breaks: instead('keys', ({ keys }) => ({ get: (_team, uuid) => keys.get('t1', uuid) })),
  },
  {
    promise: 'keys are listed newest first',
    noun: 'keys',
    breaks: instead('keys', ({ keys }) => ({ list: (team, page) => reversed(keys.list(team, page)) })),
  },
  {
    promise: 'a slug is unique over all teams',
    noun: 'projects',
    breaks: instead('projects', ({ projects }) => ({ insert: (row) => careless(projects.insert(row)) })),
  },
  {
    promise: 'an update compares the revision',
    noun: 'projects',
    breaks: instead('projects', ({ projects }) => ({
      update: async (row) => {
        const stored = await projects.byUuid(row.uuid)
        return stored !== null && projects.update({ ...row, revision: stored.revision + 1 })
      },
    })),
  },
  {
    promise: 'a scoped key lists its own projects only',
    noun: 'projects',
    breaks: instead('projects', ({ projects }) => ({
      list: (team, _only, page) => projects.list(team, null, page),
    })),
  },
  {
    promise: 'a deleted project takes its runs with it',
    noun: 'projects',
    breaks: (good) => {
      let before: Awaited<ReturnType<Store['runs']['live']>> = []
      return {
        ...good,
        projects: {
          ...good.projects,
          delete: async (uuid) => {
            before = before.concat(await good.runs.live())
            return good.projects.delete(uuid)
          },
        },
        runs: { ...good.runs, live: async () => [...before, ...(await good.runs.live())] },
      }
    },
  },
  {
    promise: 'a source is unique by type and URL',
    noun: 'sources',
    breaks: instead('sources', ({ sources }) => ({ insert: (row) => careless(sources.insert(row)) })),
  },
  {
    promise: 'the uploads of a team are its own',
    noun: 'sources',
    breaks: instead('sources', ({ sources }) => ({ uploadedSize: () => sources.uploadedSize('t1') })),
  },
  {
    promise: 'a start that moves is no crawl',
    noun: 'sources',
    breaks: instead('sources', ({ sources }) => ({
      moved: (uuid, resolvedUrl) => sources.crawled(uuid, at(1), resolvedUrl, null),
    })),
  },
  {
    promise: 'a deleted source takes its pages',
    noun: 'sources',
    breaks: instead('sources', ({ sources, pages }) => ({
      delete: async (project, uuid) => {
        const before = await pages.scan(project, null, 100)
        const deleted = await sources.delete(project, uuid)
        const back = before.map((page) => ({
          page: { ...page, version: page.version + 1 },
          replaces: 0,
          content: content('back'),
        }))
        await pages.publish(project, null, back)
        return deleted
      },
    })),
  },
  {
    promise: 'a new run supersedes the live one',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      begin: async (run) => {
        const begun = await runs.begin(run)
        return begun === null ? null : { ...begun, superseded: null }
      },
    })),
  },
  {
    promise: 'a run is begun once',
    noun: 'runs',
    breaks: (good) => {
      let fence = 100
      return instead('runs', ({ runs }) => ({
        begin: async (run) => {
          const begun = await runs.begin(run)
          return begun === null ? null : { ...begun, run: { ...begun.run, fence: fence++ } }
        },
      }))(good)
    },
  },
  {
    promise: 'the fence of an ended run is void',
    noun: 'runs',
    breaks: instead('runs', () => ({ holds: async () => true })),
  },
  {
    promise: 'the fence is checked when pages are published',
    noun: 'runs',
    breaks: instead('pages', ({ pages }) => ({
      publish: (project, _fence, all) => pages.publish(project, null, all),
    })),
  },
  {
    promise: 'the fence is checked when pages are seen',
    noun: 'runs',
    breaks: instead('pages', ({ pages }) => ({
      seen: (project, _fence, all) => pages.seen(project, null, all),
    })),
  },
  {
    promise: 'the fence is checked when pages are removed',
    noun: 'runs',
    breaks: instead('pages', ({ pages }) => ({
      remove: (project, _fence, uuids) => pages.remove(project, null, uuids),
    })),
  },
  {
    promise: 'nothing is settled after the end',
    noun: 'runs',
    breaks: instead('frontier', ({ frontier, runs }) => ({
      settle: async (run, all) => {
        const live = await frontier.settle(run, all)
        if (!live) for (const { event } of all) if (event !== null) await runs.appendLast(run, event)
        return live
      },
    })),
  },
  {
    promise: 'an ended run takes no more events',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      append: async (run, events) => {
        for (const event of events) await runs.appendLast(run, event)
      },
    })),
  },
  {
    promise: 'event numbers have no gaps',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      events: async (run, filter, page) => {
        const { count, rows } = await runs.events(run, filter, page)
        return { count, rows: rows.map((row) => ({ ...row, sequence: row.sequence * 2 - 1 })) }
      },
    })),
  },
  {
    promise: 'the event logs of old runs go',
    noun: 'runs',
    breaks: (good) => {
      const logs = new Map<string, number>()
      return instead('runs', ({ runs }) => ({
        append: async (run, events) => {
          logs.set(run, events.length)
          await runs.append(run, events)
        },
        events: async (run, filter, page) => {
          const listed = await runs.events(run, filter, page)
          return { ...listed, count: Math.max(listed.count, logs.get(run) ?? 0) }
        },
      }))(good)
    },
  },
  {
    promise: 'an event is written once',
    noun: 'runs',
    breaks: (good) => {
      let n = 0
      return instead('runs', ({ runs }) => ({
        append: (run, events) =>
          runs.append(
            run,
            events.map((event) => ({ ...event, id: `${event.id}-${n++}` })),
          ),
        events: async (run, filter, page) => {
          const { count, rows } = await runs.events(run, filter, page)
          return { count, rows: rows.map((row) => ({ ...row, id: row.id.replace(/-\d+$/, '') })) }
        },
      }))(good)
    },
  },
  {
    promise: 'runs are listed newest first',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      list: (project, page) => reversed(runs.list(project, page)),
    })),
  },
  {
    promise: 'a run that gets on is counted from the beginning',
    noun: 'runs',
    breaks: (good) => {
      let times = 0
      return instead('runs', ({ runs }) => ({
        claim: async (uuid) => {
          const counted = await runs.claim(uuid)
          times += 1
          return Math.min(counted, 1) * times
        },
      }))(good)
    },
  },
  {
    promise: 'a run that is taken up time after time where it stands is counted',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      claim: async (uuid) => {
        await runs.release(uuid)
        return runs.claim(uuid)
      },
    })),
  },
  {
    promise: 'a run that was let go in good order is counted from the beginning',
    noun: 'runs',
    breaks: instead('runs', () => ({ release: async () => {} })),
  },
  {
    promise: 'a recrawl that was let go in good order is counted from the beginning',
    noun: 'recrawls',
    breaks: instead('recrawls', () => ({ release: async () => {} })),
  },
  {
    promise: 'a recrawl that has ended is not taken up',
    noun: 'recrawls',
    breaks: instead('recrawls', ({ recrawls }) => ({
      claim: async (uuid) => Math.max(1, await recrawls.claim(uuid)),
    })),
  },
]
