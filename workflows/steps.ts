// The steps of a sync, for both runners. Each continues from the state of the run in the store.
import type { Run } from '../services/store/run.ts'
import { logEnd } from '../services/sync/start-run.ts'
import type { CrawlSteps } from './crawl.ts'
import { pageEvent, removedEvent, runEvent } from './events.ts'
import { isCutOff } from './limits.ts'
import { readSource } from './read-source.ts'
import { repairIndex, sweepAll } from './recovery.ts'
import { type CrawlDeps, type RunContext, type RunControl, RunEnded } from './run-control.ts'
import { groupSources, openContext } from './source-crawl.ts'
import { excludedMessage, pageLimitMessage, trapMessage } from './visit.ts'
import { createVocabularyKeeper } from './vocabulary.ts'

const settledAtOnce = 1_000

/** Calls `work` with the run's steps. When `work` settles, pending requests are aborted. */
export async function withSteps<Result>(
  deps: CrawlDeps,
  run: Run,
  control: RunControl,
  work: (steps: CrawlSteps) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  const { store, now } = deps
  const context: RunContext = {
    ...openContext(deps, run.project, AbortSignal.any([control.signal, ended.signal])),
    ...{ run, beat: control.beat, onProgress: control.onProgress },
    vocabulary: createVocabularyKeeper(deps, run.project, now),
    note: (type, message, more) =>
      store.runs.append(run.uuid, [runEvent(type, now().toISOString(), message, more)]),
  }
  try {
    return await work(createSteps(context))
  } finally {
    ended.abort()
  }
}

function createSteps(context: RunContext): CrawlSteps {
  const { store, index, run, project, signal, vocabulary, note } = context
  const now = () => context.now().toISOString()

  /** Restores missing pages in the index, because unchanged pages are not indexed again. */
  async function restorePages() {
    const restored = await repairIndex(context, project, context)
    if (restored === 0) return
    const message = `The index lacked ${restored} pages: they were restored from their stored text.`
    await note('run_started', message, { id: 'index_restored', level: 'warning' })
    await vocabulary.refresh()
  }

  async function settleDeferred() {
    for (;;) {
      signal.throwIfAborted()
      const deferred = await store.frontier.deferred(run.uuid, settledAtOnce)
      if (deferred.length === 0) return
      const at = now()
      const settled = await store.frontier.settle(
        run.uuid,
        deferred.map(({ source, url, outcome, reason }) => {
          const ending = { reason, message: deferredMessages[reason ?? ''] ?? '' }
          return {
            ...{ source, url, reason, deferred: false, fetched: false, outcome: outcome ?? 'skipped' },
            event: pageEvent('skipped', ending, { url, source, at }),
          }
        }),
      )
      if (!settled) throw new RunEnded()
    }
  }

  /** The run fails if every source that it read failed. A source that was added meanwhile is pending. */
  async function readSourceStates() {
    const sources = await store.sources.all(project)
    const failed = sources.filter(({ state }) => state === 'failed')
    return { sources, failed, isFailed: failed.length > 0 && !sources.some(({ state }) => state === 'ok') }
  }

  return {
    async start() {
      await store.runs.start(run.uuid, now())
      if (!(await store.runs.holds(run))) throw new RunEnded()
      await note('run_started', 'The run has started.')
      await restorePages()
      const sources = await store.sources.all(project)
      return { sources: groupSources(sources.map((source) => source.uuid)) }
    },

    async readSources(sources) {
      const unreadable: string[] = []
      for (const uuid of sources) if (!(await readSource(context, uuid))) unreadable.push(uuid)
      await vocabulary.settle()
      return { unreadable }
    },

    async settle(unreadable) {
      await settleDeferred()
      signal.throwIfAborted()
      const { isFailed, sources: rows } = await readSourceStates()
      // A run that fails removes nothing.
      if (isFailed) return
      const sources = rows.map((source) => ({ ...source, isPinned: false }))
      const cutOff = await Promise.all(sources.map((source) => isCutOff(context, source)))
      const incomplete = sources.filter((_, at) => cutOff[at]).map(({ uuid }) => uuid)
      await removeGone(context, [...unreadable, ...incomplete])
    },

    async finish() {
      await sweepAll(store, index, project, signal)
      signal.throwIfAborted()
      await index.optimize(project)
      await vocabulary.finish(run)
      const { isFailed, failed } = await readSourceStates()
      const ended = await store.runs.finish(run.uuid, {
        status: isFailed ? 'failed' : 'completed',
        at: now(),
        error: isFailed ? failed[0]!.lastError : null,
        sourcesFailed: failed.length,
      })
      if (!ended) throw new RunEnded()
      await logEnd(store, run)
      const row = await store.runs.get(project, run.uuid)
      // The project was deleted meanwhile.
      if (row === null) throw new RunEnded()
      return row.pages
    },
  }
}

const deferredMessages: Record<string, string> = {
  excluded: excludedMessage,
  trap: trapMessage,
  page_limit: pageLimitMessage,
}

/** Pages per call of the store. */
const removeBatch = 500

/**
 * Removes pages that are gone. If they are more than half of the indexed pages, holds them: keeps and marks them. A later
 * run that finds only marked pages gone removes them. Keeps pages of `unreadable` sources.
 */
async function removeGone(
  { store, run, project, now, note }: RunContext,
  unreadable: string[],
): Promise<void> {
  const gone = await store.pages.unlisted(run.uuid, unreadable)

  async function mustHold() {
    const counts = (await store.runs.get(project, run.uuid))?.pages
    const before = (await store.pages.count(project)) - (counts?.added ?? 0)
    const heldBefore = gone.every((page) => page.heldBy !== null && page.heldBy !== run.uuid)
    return gone.length > before / 2 && !heldBefore
  }

  async function remove() {
    for (let start = 0; start < gone.length; start += removeBatch) {
      const pages = gone.slice(start, start + removeBatch)
      const at = now().toISOString()
      const urls = pages.map(({ url }) => url)
      const states = await store.frontier.states(run.uuid, urls)
      const events = pages.map(({ url, sources: [source = null] }, place) =>
        removedEvent(url, states[place]?.reason ?? 'unlisted', source, at),
      )
      await store.runs.append(run.uuid, events)
      const uuids = pages.map(({ uuid }) => uuid)
      await store.pages.remove(project, run.fence, uuids)
    }
  }

  if (await mustHold()) {
    const uuids = gone.map(({ uuid }) => uuid)
    await store.pages.hold(run.uuid, run.fence, uuids)
    const message = `${gone.length} pages are gone, more than half: they are kept, and the next run that finds the same removes them.`
    await note('removals_held', message, { level: 'warning' })
  } else {
    // Deletes the marks last: if a kill interrupts the removal, the resumed run finds them and removes the rest.
    await remove()
    await store.pages.hold(run.uuid, run.fence, [])
  }
  await store.pages.assignSources(run.uuid, run.fence, unreadable)
  await store.addresses.forget(run.uuid)
}
