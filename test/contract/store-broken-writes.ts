// Stores that break one promise of repeated, late or foreign writes each: what a frontier and pages stand on.
import type { Settlement } from '../../services/store/frontier.ts'
import { type BrokenStore, instead, reversed } from './store-broken.ts'
import { at } from './store-case.ts'

export const brokenWriteStores: BrokenStore[] = [
  {
    promise: 'a settled listing is walked for its own source only',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      settle: async (run, all) => {
        await frontier.walked(
          run,
          all.flatMap(({ url }) => ['s1', 's2'].map((source) => ({ source, url }))),
        )
        return frontier.settle(run, all)
      },
    })),
  },
  {
    promise: 'a URL keeps its first outcome',
    noun: 'frontier',
    breaks: (good) => {
      const last = new Map<string, Settlement>()
      return instead('frontier', ({ frontier }) => ({
        settle: (run, all) => {
          for (const each of all) last.set(each.url, each)
          return frontier.settle(run, all)
        },
        states: async (run, urls) =>
          (await frontier.states(run, urls)).map((state) => {
            const settled = state && last.get(state.url)
            return settled ? { ...state, outcome: settled.outcome } : state
          }),
      }))(good)
    },
  },
  {
    promise: 'the same settlement again writes no event',
    noun: 'frontier',
    breaks: (good) => {
      let again = 0
      return instead('frontier', ({ frontier, runs }) => ({
        settle: async (run, all) => {
          const live = await frontier.settle(run, all)
          for (const { event } of all)
            if (event) await runs.append(run, [{ ...event, id: `${event.id}-${again++}` }])
          return live
        },
      }))(good)
    },
  },
  {
    promise: 'what nobody listed is passed over',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      settle: async (run, all) => {
        await frontier.discover(
          run,
          all.map(({ source, url }) => ({ source, url, depth: 1 })),
        )
        return frontier.settle(run, all)
      },
    })),
  },
  {
    promise: 'a deferred outcome gives way',
    noun: 'frontier',
    breaks: (good) => {
      const deferred = new Set<string>()
      return instead('frontier', ({ frontier }) => ({
        settle: (run, all) => {
          const taken = all.filter(({ url }) => !deferred.has(url))
          for (const { url, deferred: is } of taken) if (is) deferred.add(url)
          return frontier.settle(run, taken)
        },
      }))(good)
    },
  },
  {
    promise: 'the same answer again is not counted again',
    noun: 'frontier',
    breaks: (good) => {
      let fetched = 0
      return {
        ...instead('frontier', ({ frontier }) => ({
          settle: (run, all) => {
            fetched += all.filter((each) => each.fetched).length
            return frontier.settle(run, all)
          },
        }))(good),
        runs: {
          ...good.runs,
          get: async (project, uuid) => {
            const run = await good.runs.get(project, uuid)
            return run && { ...run, pages: { ...run.pages, fetched } }
          },
        },
      }
    },
  },
  {
    promise: 'two writers cannot take the place of one version',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      publish: async (project, fence, all) => {
        const current = await pages.current(all.map(({ page }) => page.uuid))
        const forced = all.map((each) => ({
          ...each,
          page: { ...each.page, fetchedAt: at(59) },
          replaces: current.get(each.page.uuid) ?? 0,
        }))
        return pages.publish(project, fence, forced)
      },
    })),
  },
  {
    promise: 'the same publication again is published',
    noun: 'pages',
    breaks: (good) => {
      const published = new Set<number>()
      return instead('pages', ({ pages }) => ({
        publish: async (project, fence, all) => {
          const known = all.map(({ page }) => published.has(page.version))
          for (const { page } of all) published.add(page.version)
          const results = await pages.publish(project, fence, all)
          return results.map((result, n) => (known[n] ? 'stale' : result))
        },
      }))(good)
    },
  },
  {
    promise: 'a fence that is ahead is void too',
    noun: 'pages',
    breaks: instead('pages', ({ pages, runs }) => ({
      publish: async (project, fence, all) => {
        const live = (await runs.live()).find((run) => run.project === project)
        const reached = live && fence !== null && fence > live.fence
        return pages.publish(project, reached ? live.fence : fence, all)
      },
    })),
  },
  {
    promise: 'pages are found by content hash in their project only',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      byContentHashes: (_project, hashes) => pages.byContentHashes('p1', hashes),
    })),
  },
  {
    promise: 'pages are listed by address',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({ list: (...list) => reversed(pages.list(...list)) })),
  },
  {
    promise: 'a list of pages keeps to its prefix',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      list: (project, { urlPrefix: _, ...filter }, page) => pages.list(project, filter, page),
    })),
  },
  {
    promise: 'a list of pages keeps to its source',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      list: (project, { sourceUuid: _, ...filter }, page) => pages.list(project, filter, page),
    })),
  },
  {
    promise: 'pending addresses keep to their prefix',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      pending: (run, _prefix, after, limit) => frontier.pending(run, '', after, limit),
    })),
  },
  {
    promise: 'events of an address are those of all newest runs',
    noun: 'runs',
    breaks: instead('runs', ({ runs }) => ({
      eventsByUrl: async (project, url, limit) => (await runs.eventsByUrl(project, url, limit)).slice(0, 2),
    })),
  },
  {
    promise: 'a scan goes on behind the last page',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      scan: (project, _after, limit) => pages.scan(project, null, limit),
    })),
  },
  {
    promise: 'unlisted pages come by uuid',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      unlisted: async (run, unreadable) => (await pages.unlisted(run, unreadable)).toReversed(),
    })),
  },
  {
    promise: 'pinned pages come by uuid, so many as were asked for',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      pinnedUnlisted: async (run) => (await pages.pinnedUnlisted(run, 100)).toReversed(),
    })),
  },
  {
    promise: 'pages beyond a chunk are assigned too',
    noun: 'stalePages',
    breaks: instead('sources', ({ sources }) => ({
      pageCounts: async (project) =>
        new Map(
          [...(await sources.pageCounts(project))].map(([uuid, count]) => [uuid, Math.min(count, 500)]),
        ),
    })),
  },
  {
    promise: 'pages beyond a chunk are removed too',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      remove: (project, fence, uuids) => pages.remove(project, fence, uuids.slice(0, 500)),
    })),
  },
  {
    promise: 'a listing counts once for its source',
    noun: 'frontier',
    breaks: (good) => {
      let listed = 0
      return instead('frontier', ({ frontier }) => ({
        discover: async (run, listings) => {
          listed += listings.length
          return frontier.discover(run, listings)
        },
        listed: async (run, source) => Math.min(await frontier.listed(run, source), 1) * listed,
      }))(good)
    },
  },
]
