// The steps of a sync: each continues where the store says that the run has got to.
import type { Fetcher } from '../crawler/fetch.ts'
import { createRobots } from '../crawler/robots.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import type { Page } from '../services/store/page.ts'
import type { Run } from '../services/store/run.ts'
import type { Source } from '../services/store/source.ts'
import type { Store } from '../services/store/store.ts'
import { pageEvent, runEvent } from './events.ts'
import { isCutOff, maxListings } from './listings.ts'
import { restoreUnits } from './lost-units.ts'
import type { ParsePool } from './parse/parse-pool.ts'
import { pageUuid } from './publication.ts'
import { removeGone } from './removal.ts'
import { resolveCanonicals } from './resolve-canonicals.ts'
import { type RunControl, RunEnded, throwUnlessFault } from './run-control.ts'
import { seedSource } from './seed.ts'
import { createPinnedCrawl, createSourceCrawl, pinnedSource, type SourceCrawl } from './source-crawl.ts'
import { createSourceWalk, type SourceWalk } from './source-walk.ts'
import type { CrawlSteps } from './steps.ts'
import { sweepVersions } from './sweep.ts'
import { excludedMessage, trapMessage } from './visit.ts'
import type { VocabularyKeeper } from './vocabulary.ts'

export interface CrawlDeps {
  store: Store
  index: SearchIndex
  fetcher: Fetcher
  parsePool: ParsePool
  vocabulary: VocabularyKeeper
  now(): Date
  /** Pages that a project may have; null for no limit. */
  pageLimit: number | null
  /** Addresses that a source may bring into a run, whatever comes of them. */
  addressLimit: number
  /** Told of faults that a page or a source brought about. */
  report(error: unknown): void
}

export function createActivities(deps: CrawlDeps, run: Run, control: RunControl): CrawlSteps {
  const { store, index } = deps
  const { signal } = control
  const { project } = run
  const robots = createRobots(deps.fetcher, (body, signal) =>
    deps.parsePool.robots(body, { project, signal }),
  )
  const walks = new Map<string, SourceWalk>()
  const crawls = new Map<string, SourceCrawl>()
  /** Sources whose address or globs cannot be read. */
  const unreadable = new Set<string>()
  const now = () => deps.now().toISOString()
  const limited = { ...deps, run }

  const visitDeps = {
    ...deps,
    robots,
    project,
    signal,
    newPage: (url: string) => pageUuid(run.project, url),
    storedContent: async (page: Page | null) => (page ? store.pages.content(page.uuid) : null),
  }

  async function crawlOf(uuid: string): Promise<SourceCrawl | null> {
    const known = crawls.get(uuid)
    if (known) return known
    if (uuid === pinnedSource) {
      return createPinnedCrawl(await store.sources.all(run.project))
    }
    const source = await store.sources.get(run.project, uuid)
    if (source === null) return null
    const crawl = readSource(source)
    if (crawl === null) return null
    await resumeMove(crawl)
    crawls.set(uuid, crawl)
    return crawl
  }

  function readSource(source: Source): SourceCrawl | null {
    try {
      return createSourceCrawl(source)
    } catch (error) {
      if (!unreadable.has(source.uuid)) deps.report(error)
      unreadable.add(source.uuid)
      return null
    }
  }

  async function failSource(uuid: string) {
    const message =
      'The source could not be read: its address or globs are not valid, or it met an internal error.'
    await note('source_finished', now(), message, { sourceUuid: uuid, level: 'error' })
    return { uuid, readable: false }
  }

  /** In a run that was interrupted, the start may have been asked before, and is not asked again. */
  async function resumeMove(crawl: SourceCrawl) {
    const [start] = await store.frontier.states(run.uuid, [crawl.start])
    const hasMoved = start?.reason === 'redirect' || start?.outcome === 'failed'
    if (hasMoved && crawl.ledTo !== null) crawl.moveTo(crawl.ledTo)
  }

  async function walkOf(uuid: string): Promise<SourceWalk | null> {
    const known = walks.get(uuid)
    if (known) return known
    const source = await crawlOf(uuid)
    if (source === null) return null
    const walk = await createSourceWalk({ ...deps, run, source, visitDeps, ...control })
    walks.set(uuid, walk)
    return walk
  }

  /** Pages that do not change are not indexed again: what the index lacks of them is put back first. */
  async function repairIndex() {
    const restored = await restoreUnits(deps, run.project, control)
    if (restored === 0) return
    const message = `The index lacked ${restored} pages: they were put back from their stored text.`
    await note('run_started', now(), message, { id: 'index_restored', level: 'warning' })
    await deps.vocabulary.refresh()
  }

  async function note(...events: Parameters<typeof runEvent>) {
    await store.runs.append(run.uuid, [runEvent(...events)])
  }

  return {
    async begin() {
      await store.runs.start(run.uuid, now())
      if (!(await store.runs.holds(run))) throw new RunEnded()
      await note('run_started', now(), 'The run has started.')
      await repairIndex()
      const sources = await store.sources.all(run.project)
      return { sources: [...sources.map((source) => source.uuid), pinnedSource] }
    },

    async seed(uuid) {
      signal.throwIfAborted()
      const source = await crawlOf(uuid)
      if (source === null) return unreadable.has(uuid) ? failSource(uuid) : { uuid, readable: true }
      if (!source.isPinned) {
        await note('source_started', now(), `Reading ${source.start}`, {
          sourceUuid: uuid,
          url: source.start,
        })
      }
      try {
        return await seedSource({ ...deps, run, source, note, ...control })
      } catch (error) {
        throwUnlessFault(error, signal)
        deps.report(error)
        return failSource(uuid)
      }
    },

    async walk(uuid, limit) {
      signal.throwIfAborted()
      const walk = await walkOf(uuid)
      return walk === null ? 0 : walk.go(limit)
    },

    async resolveCanonicals(uuid) {
      signal.throwIfAborted()
      return resolveCanonicals({ ...deps, run }, uuid)
    },

    async finishSource({ uuid, readable }) {
      const source = crawls.get(uuid)
      walks.delete(uuid)
      if (!source || source.isPinned) return
      await store.sources.crawled(uuid, now(), source.movedTo())
      const isCut = await isCutOff(limited, source)
      const { message, level } = sourceEnding(source, {
        readable,
        cutAt: isCut ? maxListings(source, deps.addressLimit) : null,
      })
      await note('source_finished', now(), message, { sourceUuid: uuid, level })
    },

    async settleDeferred(limit) {
      signal.throwIfAborted()
      const deferred = await store.frontier.deferred(run.uuid, limit)
      const settled = await store.frontier.settle(
        run.uuid,
        deferred.map(({ source, url, outcome, reason }) => ({
          source,
          url,
          outcome: outcome ?? 'skipped',
          reason,
          deferred: false,
          fetched: false,
          event: pageEvent(
            'skipped',
            { reason, message: deferredMessages[reason ?? ''] ?? '' },
            { url, source, at: now() },
          ),
        })),
      )
      if (!settled) throw new RunEnded()
      return deferred.length
    },

    async removeGone(unreadable) {
      signal.throwIfAborted()
      const sources = (await store.sources.all(run.project)).map((source) => ({ ...source, isPinned: false }))
      const cutOff = await Promise.all(sources.map((source) => isCutOff(limited, source)))
      const kept = sources.filter((_, at) => cutOff[at]).map(({ uuid }) => uuid)
      await removeGone({ ...deps, run }, [...unreadable, ...kept])
    },

    async sweep(limit) {
      signal.throwIfAborted()
      return sweepVersions(store, index, run.project, limit)
    },

    async complete() {
      signal.throwIfAborted()
      await index.optimize(run.project)
      await deps.vocabulary.finish(run)
      const ended = await store.runs.finish(run.uuid, { status: 'completed', at: now(), error: null })
      if (!ended) throw new RunEnded()
      await store.runs.appendLast(run.uuid, runEvent('run_finished', now(), 'The run has completed.'))
    },
  }
}

/** `cutAt`: how many addresses it has listed where that is all that it may; null where it may list more. */
function sourceEnding(source: SourceCrawl, { readable, cutAt }: { readable: boolean; cutAt: number | null }) {
  if (source.givenUp !== null) return { level: 'warning', message: source.givenUp } as const
  if (!readable)
    return { level: 'warning', message: 'The list of its pages could not be read; its pages stay.' } as const
  if (cutAt !== null) {
    const message = `It lists more than ${cutAt} addresses: the rest was left out, and pages that are in the index stay. LECTERN_ADDRESS_LIMIT sets how many a source may list.`
    return { level: 'warning', message } as const
  }
  if (source.follows && source.traps.isBarren()) {
    const message = 'It lists addresses without end that are no pages: the rest was left out as a trap.'
    return { level: 'warning', message } as const
  }
  return { level: 'info', message: 'The source has been read.' } as const
}

const deferredMessages: Record<string, string> = {
  excluded: excludedMessage,
  trap: trapMessage,
  page_limit: 'The limit on pages was reached before it.',
}
