import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Listing } from '../services/store/frontier.ts'
import type { Task, Visit } from './visit.ts'
import { type WalkDeps, walk } from './walk.ts'

/** A site as a graph in memory: pages and the pages that they link to. */
function createSite(links: Record<string, string[]>) {
  const listed: Listing[] = [{ source: 's', url: 'start', depth: 0 }]
  const walked = new Set<string>()
  const visits: string[] = []
  const deps: WalkDeps = {
    byLevel: false,
    next: async (limit) => listed.filter(({ url }) => !walked.has(url)).slice(0, limit),
    prepare: async (listings) => listings.map((listing) => ({ ...listing, state: null, page: null })),
    admit: () => 'granted',
    refuse: (task) => toVisit(task),
    async visit(task) {
      visits.push(task.url)
      return toVisit(task)
    },
    async commit(group) {
      for (const { task } of group) {
        walked.add(task.url)
        for (const url of links[task.url] ?? []) {
          const isListed = listed.some((listing) => listing.url === url)
          if (!isListed) listed.push({ source: 's', url, depth: task.depth + 1 })
        }
      }
    },
  }
  return { deps, visits, walked, listed }
}

function toVisit(task: Task): Visit {
  return { kind: 'settled', task, fetched: false, links: [] }
}

test('visits every linked page once', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `p${at}`)
  const edges = fc.array(fc.tuple(fc.constantFrom('start', ...names), fc.constantFrom(...names)), {
    maxLength: 120,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(edges, async (pairs) => {
      const links: Record<string, string[]> = {}
      for (const [from, to] of pairs) links[from] = [...(links[from] ?? []), to]
      const reachable = new Set<string>(['start'])
      for (const url of reachable) for (const next of links[url] ?? []) reachable.add(next)

      const site = createSite(links)
      await walk(site.deps)
      expect(site.visits.toSorted()).toEqual([...reachable].toSorted())
    }),
  )
})

test('lists a page at its least depth, in whatever order pages respond, if it walks by level', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `p${at}`)
  const edges = fc.array(fc.tuple(fc.constantFrom('start', ...names), fc.constantFrom(...names)), {
    minLength: 12,
    maxLength: 30,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(edges, fc.scheduler(), async (pairs, scheduler) => {
      const links: Record<string, string[]> = {}
      for (const [from, to] of pairs) links[from] = [...(links[from] ?? []), to]
      const least = new Map([['start', 0]])
      for (const [url, depth] of least) {
        for (const next of links[url] ?? []) if (!least.has(next)) least.set(next, depth + 1)
      }

      const { deps, listed } = createSite(links)
      const visit = scheduler.scheduleFunction(deps.visit)
      await scheduler.waitFor(walk({ ...deps, byLevel: true, visit }))
      expect(new Map(listed.map(({ url, depth }) => [url, depth]))).toEqual(least)
    }),
  )
})

test('ends with the error of a failed commit, after running visits', async () => {
  const site = createSite({ start: ['a', 'b'] })
  site.deps.commit = async () => {
    throw new Error('the store is away')
  }
  await expect(walk(site.deps)).rejects.toThrow('the store is away')
})

test('ends with the error of a failed visit', async () => {
  const site = createSite({})
  site.deps.visit = async () => {
    throw new Error('stopped')
  }
  await expect(walk(site.deps)).rejects.toThrow('stopped')
})

test('ends with the error of a failed look for more pages, but only after running visits', async () => {
  const many = Array.from({ length: 40 }, (_, at) => `p${at}`)
  const site = createSite({ start: many })
  const { next, visit } = site.deps
  const late = Promise.withResolvers<void>()
  let looks = 0
  site.deps.next = async (limit) => {
    looks += 1
    if (looks < 3) return next(limit)
    late.resolve()
    throw new Error('the store is away')
  }
  let ended = 0
  site.deps.visit = async (task) => {
    if (task.url === 'p0') await late.promise.then(() => new Promise(setImmediate))
    ended += 1
    return visit(task)
  }
  await expect(walk(site.deps)).rejects.toThrow('the store is away')
  expect(ended).toBe(41)
})

test('rejects a page beyond the limits without a visit', async () => {
  const site = createSite({ start: ['a', 'b'] })
  site.deps.admit = (task) => (task.url === 'a' ? 'exhausted' : 'granted')
  await walk(site.deps)
  expect(site.walked.size).toBe(3)
  expect(site.visits.toSorted()).toEqual(['b', 'start'])
})

test('holds a page back until a running visit is committed, if the limit requires it', async () => {
  const site = createSite({ start: ['a', 'b', 'c'] })
  let free = 1
  const { commit } = site.deps
  site.deps.admit = () => {
    if (free === 0) return 'wait'
    free -= 1
    return 'granted'
  }
  site.deps.commit = async (group) => {
    await commit(group)
    free += group.length
  }
  await walk(site.deps)
  expect(site.visits.toSorted()).toEqual(['a', 'b', 'c', 'start'])
})

test('walks more listings than are read at once', async () => {
  const many = Array.from({ length: 900 }, (_, at) => `p${at}`)
  const site = createSite({ start: many })
  await walk(site.deps)
  expect(site.visits).toHaveLength(901)
  expect(site.walked.size).toBe(901)
})
