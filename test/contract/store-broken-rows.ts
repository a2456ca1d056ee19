// Stores that break one promise each: teams, keys, projects, sources and runs as rows.
import { type BrokenStore, instead } from './store-broken.ts'

export const brokenRowStores: BrokenStore[] = [
  {
    promise: 'the first team is the oldest',
    noun: 'keys',
    breaks: instead('teams', ({ teams }) => ({ first: async () => (await teams.all()).at(-1) ?? null })),
  },
  {
    promise: 'a key is deleted in its own team only',
    noun: 'keys',
    breaks: instead('keys', ({ keys }) => ({ delete: (_team, uuid) => keys.delete('t1', uuid) })),
  },
  {
    promise: 'lastUsedAt does not go back',
    noun: 'keys',
    breaks: (good) => {
      const touched = new Map<string, string>()
      return instead('keys', ({ keys }) => ({
        touch: async (uuid, at) => void touched.set(uuid, at),
        get: async (team, uuid) => {
          const key = await keys.get(team, uuid)
          return key && { ...key, lastUsedAt: touched.get(uuid) ?? null }
        },
      }))(good)
    },
  },
  {
    promise: 'a project keeps all of its fields',
    noun: 'projects',
    breaks: instead('projects', ({ projects }) => ({
      insert: (row) => projects.insert({ ...row, isPrivate: false }),
    })),
  },
  {
    promise: 'slugs are those of projects that are there',
    noun: 'projects',
    breaks: instead('projects', ({ projects }) => {
      const slugs = new Map<string, string>()
      return {
        insert: async (row) => {
          slugs.set(row.uuid, row.slug)
          await projects.insert(row)
        },
        slugs: async (uuids) => new Map([...slugs].filter(([uuid]) => uuids.includes(uuid))),
      }
    }),
  },
  {
    promise: 'a schedule that is taken away is none',
    noun: 'projects',
    breaks: (good) => {
      let before: Awaited<ReturnType<typeof good.projects.scheduled>> = []
      return instead('projects', ({ projects }) => ({
        scheduled: async () => {
          if (before.length === 0) before = await projects.scheduled()
          return before
        },
      }))(good)
    },
  },
  {
    promise: 'a source is seen in its project only',
    noun: 'sources',
    breaks: instead('sources', ({ sources }) => ({ get: (_project, uuid) => sources.get('p1', uuid) })),
  },
  {
    promise: 'sources are listed oldest first',
    noun: 'sources',
    breaks: instead('sources', ({ sources }) => ({
      all: async (project) => (await sources.all(project)).toReversed(),
    })),
  },
  {
    promise: 'an update of a source compares the revision',
    noun: 'sources',
    breaks: instead('sources', ({ sources }) => ({
      update: async (row) => {
        const stored = await sources.get(row.project, row.uuid)
        return stored !== null && sources.update({ ...row, revision: stored.revision + 1 })
      },
    })),
  },
  {
    promise: 'a source says why it could not be read',
    noun: 'sources',
    breaks: instead('sources', () => ({ failed: async () => {} })),
  },
  {
    promise: 'a page of two sources counts in both',
    noun: 'sources',
    breaks: instead('sources', ({ pages }) => ({
      pageCounts: async (project) => {
        const counts = new Map<string, number>()
        for (const { sources } of await pages.scan(project, null, 100)) {
          if (sources[0]) counts.set(sources[0], (counts.get(sources[0]) ?? 0) + 1)
        }
        return counts
      },
    })),
  },
  {
    promise: 'pages do not name a source that is gone',
    noun: 'sources',
    breaks: (good) => {
      const named = new Map<string, string[]>()
      return instead('pages', ({ pages }) => ({
        publish: (project, fence, all) => {
          for (const { page } of all) named.set(page.url, page.sources)
          return pages.publish(project, fence, all)
        },
        byUrls: async (project, urls) =>
          (await pages.byUrls(project, urls)).map(
            (page) => page && { ...page, sources: named.get(page.url) ?? page.sources },
          ),
      }))(good)
    },
  },
  {
    promise: 'a run starts once',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      start: async (uuid, at) => {
        await runs.start(uuid, at)
        return (await runs.live()).some((run) => run.uuid === uuid)
      },
    })),
  },
  {
    promise: 'live runs come oldest first',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({ live: async () => (await runs.live()).toReversed() })),
  },
  {
    promise: 'a recrawl is written once',
    noun: 'recrawls',
    breaks: instead('recrawls', ({ recrawls }) => ({
      insert: async (row) => {
        await recrawls.insert(row)
        const { status, reason, finishedAt } = row
        if (status !== 'queued') await recrawls.settle(row.uuid, { status, reason, finishedAt })
      },
    })),
  },
  {
    promise: 'an address is queued once',
    noun: 'recrawls',
    breaks: instead('recrawls', ({ recrawls }) => ({
      enqueue: async (row, limits) => {
        if ((await recrawls.enqueue({ ...row, url: `${row.url}#${row.uuid}` }, limits)) === null) return null
        return row
      },
    })),
  },
  {
    promise: 'recrawls that have not ended are counted',
    noun: 'recrawls',
    breaks: instead('recrawls', ({ recrawls }) => ({
      enqueue: (row, limits) => recrawls.enqueue(row, { ...limits, maxLive: 99 }),
    })),
  },
  {
    promise: 'of recrawls that ended only the newest stay',
    noun: 'recrawls',
    breaks: instead('recrawls', ({ recrawls }) => ({
      enqueue: (row, limits) => recrawls.enqueue(row, { ...limits, maxEnded: 99 }),
    })),
  },
  {
    promise: 'only the newest runs stay',
    noun: 'runs',
    breaks: (good) => {
      let restored = 0
      return instead('runs', ({ runs }) => ({
        restore: (run, events) => {
          restored += 1
          return runs.restore(run, events)
        },
        list: async (project, page) => {
          const { count, rows } = await runs.list(project, page)
          return { count: Math.max(count, restored), rows }
        },
      }))(good)
    },
  },
  {
    promise: 'nothing is restored into a project that is gone',
    noun: 'moves',
    breaks: (good) => {
      const restored = new Map<string, Parameters<typeof good.runs.restore>[0]>()
      return instead('runs', ({ runs }) => ({
        restore: async (run, events) => {
          restored.set(run.uuid, run)
          await runs.restore(run, events)
        },
        get: async (project, uuid) => (await runs.get(project, uuid)) ?? restored.get(uuid) ?? null,
      }))(good)
    },
  },
]
