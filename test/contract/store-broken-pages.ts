// More broken stores: frontier, pages and what hangs on them.
import type { Listing } from '../../services/store/frontier.ts'
import { type BrokenStore, instead } from './store-broken.ts'

export const brokenPageStores: BrokenStore[] = [
  {
    promise: 'the counters add up',
    noun: 'counters',
    breaks: instead('runs', ({ runs }) => ({
      get: async (project, uuid) => {
        const run = await runs.get(project, uuid)
        if (run === null) return null
        return { ...run, pages: { ...run.pages, pending: run.pages.pending + run.pages.failed } }
      },
    })),
  },
  {
    promise: 'a deferred outcome counts as pending',
    noun: 'counters',
    breaks: instead('frontier', ({ frontier }) => ({
      settle: (run, all) =>
        frontier.settle(
          run,
          all.map((each) => ({ ...each, deferred: false })),
        ),
    })),
  },
  {
    promise: 'discover answers what is new',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      discover: async (run, listings) => {
        await frontier.discover(run, listings)
        return listings.length
      },
    })),
  },
  {
    promise: 'reading the frontier does not take from it',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      next: async (run, source, limit) => {
        const listings = await frontier.next(run, source, limit)
        await frontier.walked(run, listings)
        return listings
      },
    })),
  },
  {
    promise: 'listings come in the order of discovery',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      next: async (run, source, limit) => (await frontier.next(run, source, limit)).toReversed(),
    })),
  },
  {
    promise: 'walked listings are not read again',
    noun: 'frontier',
    breaks: instead('frontier', () => ({ walked: async () => {} })),
  },
  {
    promise: 'a deferred outcome can be opened again',
    noun: 'frontier',
    breaks: instead('frontier', () => ({ reopen: async () => {} })),
  },
  {
    promise: 'only a deferred outcome is opened again',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => {
      const opened: Listing[] = []
      return {
        reopen: async (run, listings) => {
          await frontier.reopen(run, listings)
          opened.push(...listings.map((listing) => ({ ...listing, depth: 1 })))
        },
        next: async (run, source, limit) => {
          const listings = await frontier.next(run, source, limit)
          return opened.length > 0 ? opened : listings
        },
      }
    }),
  },
  {
    promise: 'what waits for another page is told with the state of that one',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => ({
      pendingCanonicals: async (...about) =>
        (await frontier.pendingCanonicals(...about)).map((row) => ({ ...row, state: null })),
    })),
  },
  {
    promise: 'declined listings are not kept',
    noun: 'frontier',
    breaks: instead('frontier', ({ frontier }) => {
      let declined = 0
      return {
        settle: (run, all) => {
          declined += all.filter((each) => each.deferred).length
          return frontier.settle(run, all)
        },
        kept: async (run, source) => (await frontier.kept(run, source)) + declined,
      }
    }),
  },
  {
    promise: 'a page fetched later is not replaced',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      publish: async (project, fence, all) => {
        const stored = await pages.byUuids(all.map(({ page }) => page.uuid))
        return pages.publish(
          project,
          fence,
          all.map((each, at) => {
            const later = stored[at]?.fetchedAt ?? ''
            return later > each.page.fetchedAt ? { ...each, page: { ...each.page, fetchedAt: later } } : each
          }),
        )
      },
    })),
  },
  {
    promise: 'a stale publication does not win',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      publish: async (project, fence, all) => {
        const current = await pages.current(all.map(({ page }) => page.uuid))
        return pages.publish(
          project,
          fence,
          all.map((each) => ({ ...each, replaces: current.get(each.page.uuid) ?? 0 })),
        )
      },
    })),
  },
  {
    promise: 'content belongs to the current version',
    noun: 'pages',
    breaks: (good) => {
      const first = new Map<string, Awaited<ReturnType<typeof good.pages.content>>>()
      return instead('pages', ({ pages }) => ({
        content: async (uuid) => {
          if (!first.has(uuid)) first.set(uuid, await pages.content(uuid))
          return first.get(uuid) ?? null
        },
        publish: async (project, fence, all) => {
          const results = await pages.publish(project, fence, all)
          for (const { page, content } of all) if (!first.has(page.uuid)) first.set(page.uuid, content)
          return results
        },
      }))(good)
    },
  },
  {
    promise: 'sources are joined',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      byUuids: async (uuids) =>
        (await pages.byUuids(uuids)).map((page) => page && { ...page, sources: page.sources.slice(0, 1) }),
    })),
  },
  {
    promise: 'pages come in the order asked for',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      byUrls: async (project, urls) => (await pages.byUrls(project, urls)).toReversed(),
    })),
  },
  {
    promise: 'old versions are queued for the sweep, oldest first',
    noun: 'pages',
    breaks: instead('pages', ({ pages }) => ({
      swept: async (project, limit) => (await pages.swept(project, limit)).toReversed(),
    })),
  },
  {
    promise: 'the first publication marks the project as indexed',
    noun: 'pages',
    breaks: instead('projects', ({ projects }) => ({
      byUuid: async (uuid) => {
        const project = await projects.byUuid(uuid)
        return project && { ...project, indexedAt: null }
      },
    })),
  },
  {
    promise: 'pinned pages stay when nobody lists them',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      unlisted: async (run, unreadable) => {
        const pinned = (await pages.scan('p1', null, 100)).filter((page) => page.pinned)
        return [
          ...new Map(
            [...(await pages.unlisted(run, unreadable)), ...pinned].map((p) => [p.uuid, p]),
          ).values(),
        ]
      },
    })),
  },
  {
    promise: 'pages of unreadable sources are left out',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({ unlisted: (run) => pages.unlisted(run, []) })),
  },
  {
    promise: 'a hold marks exactly the pages named',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      hold: async (project, fence, run, uuids) => {
        const held = (await pages.scan(project, null, 2_000)).filter((page) => page.heldBy !== null)
        return pages.hold(project, fence, run, [...uuids, ...held.map((page) => page.uuid)])
      },
    })),
  },
  {
    promise: 'held pages keep their sources',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      assignSources: async (run, fence, unreadable) => {
        await pages.hold('p1', fence, run, [])
        return pages.assignSources(run, fence, unreadable)
      },
    })),
  },
  {
    promise: 'removal is counted in the run',
    noun: 'stalePages',
    breaks: instead('pages', ({ pages }) => ({
      remove: (project, _fence, uuids) => pages.remove(project, null, uuids),
    })),
  },
  {
    promise: 'a final status of a recrawl stays',
    noun: 'recrawls',
    breaks: instead('recrawls', ({ recrawls }) => ({
      settle: async (uuid, to) => (await recrawls.settle(uuid, to)) || to.status === 'running',
    })),
  },
  {
    promise: 'a vocabulary’s version grows',
    noun: 'vocabulary',
    breaks: instead('vocabulary', ({ vocabulary }) => ({
      write: async (project, terms) => Math.min(1, await vocabulary.write(project, terms)),
    })),
  },
]
