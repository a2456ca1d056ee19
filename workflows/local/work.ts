// The in-process runner's inside: what runs, and how it is stopped and taken up again. Lives on the sync thread.
import { type CrawlDeps, createActivities } from '../activities.ts'
import { RunEnded } from '../commit.ts'
import { crawl } from '../crawl.ts'
import { runEvent } from '../events.ts'
import { recrawlPage } from '../recrawl.ts'
import { removeOrphans, sweepVersions } from '../sweep.ts'
import { openVocabularyKeeper } from '../vocabulary.ts'

export type WorkDeps = Omit<CrawlDeps, 'vocabulary'> & {
  /** Told of errors that no caller waits for. */
  report(error: unknown): void
}

/** A type, not an interface, so that it fits what a thread serves. */
export type WorkApi = {
  /** Takes up what a process before this one left: live runs and recrawls. Called first, and once. */
  resume(): Promise<void>
  startSync(run: { uuid: string; project: string }): Promise<void>
  stopSync(run: { uuid: string; project: string }): Promise<void>
  startRecrawl(recrawl: { uuid: string; project: string }): Promise<void>
  dropProject(project: string): Promise<void>
  sweep(project: string): Promise<void>
  ping(): Promise<void>
  /** Resolves when nothing of the project is under way any more. */
  settled(project: string): Promise<void>
  /** Stops what runs, so that the next process resumes it. */
  close(): Promise<void>
}

interface LiveRun {
  uuid: string
  stop: AbortController
  ended: Promise<void>
}

const sweepAtOnce = 1_000

export function createWork(deps: WorkDeps): WorkApi {
  const { store, index } = deps
  const runs = new Map<string, LiveRun>()
  const recrawls = new Set<Promise<void>>()
  const closing = new AbortController()
  // Nothing starts before units that a kill left without a page are out: new ones would look the same.
  const cleaned = Promise.withResolvers<void>()
  const now = () => deps.now().toISOString()

  async function stopRunOf(project: string, uuid?: string) {
    const live = runs.get(project)
    if (!live || (uuid !== undefined && live.uuid !== uuid)) return
    live.stop.abort()
    await live.ended
  }

  async function execute(project: string, uuid: string, signal: AbortSignal) {
    const run = (await store.runs.live()).find((candidate) => candidate.uuid === uuid)
    if (!run) return
    try {
      const vocabulary = await openVocabularyKeeper(store, project, deps.now)
      await crawl(createActivities({ ...deps, vocabulary }, run, { signal, beat() {} }))
    } catch (error) {
      // Stopped: the store has ended the run already, or the next process resumes it.
      if (signal.aborted || error instanceof RunEnded) return
      const message = 'The run met an internal error.'
      await store.runs.finish(uuid, { status: 'failed', at: now(), error: message })
      await store.runs.appendLast(uuid, runEvent('run_finished', now(), message, { level: 'error' }))
      throw error
    }
  }

  async function startSync({ uuid, project }: { uuid: string; project: string }) {
    await cleaned.promise
    if (closing.signal.aborted) return
    await stopRunOf(project)
    const stop = new AbortController()
    const ended = execute(project, uuid, AbortSignal.any([stop.signal, closing.signal]))
      .catch((error) => deps.report(error))
      .finally(() => {
        if (runs.get(project)?.uuid === uuid) runs.delete(project)
      })
    runs.set(project, { uuid, stop, ended })
  }

  async function startRecrawl({ uuid, project }: { uuid: string; project: string }) {
    await cleaned.promise
    const done = runRecrawl(uuid, project)
      .catch((error) => deps.report(error))
      .finally(() => recrawls.delete(done))
    recrawls.add(done)
  }

  async function runRecrawl(uuid: string, project: string) {
    const recrawl = await store.recrawls.get(project, uuid)
    if (recrawl === null) return
    const vocabulary = await openVocabularyKeeper(store, project, deps.now)
    try {
      await recrawlPage({ ...deps, vocabulary }, recrawl, { signal: closing.signal, beat() {} })
    } catch (error) {
      if (closing.signal.aborted) return
      await store.recrawls.settle(uuid, { status: 'dropped', reason: 'unfetchable', finishedAt: now() })
      throw error
    }
  }

  return {
    async resume() {
      const live = await store.runs.live()
      const waiting = await store.recrawls.live()
      for (const project of new Set([...live, ...waiting].map((work) => work.project))) {
        await removeOrphans(store, index, project)
      }
      cleaned.resolve()
      await Promise.all(live.filter(({ project }) => !runs.has(project)).map(startSync))
      await Promise.all(waiting.map(startRecrawl))
    },

    startSync,
    stopSync: ({ project, uuid }) => stopRunOf(project, uuid),
    startRecrawl,

    async dropProject(project) {
      await stopRunOf(project)
      await index.drop(project)
    },

    async sweep(project) {
      while ((await sweepVersions(store, index, project, sweepAtOnce)) > 0);
    },

    ping: () => index.ping(),

    async settled(project) {
      await Promise.all([runs.get(project)?.ended, ...recrawls])
    },

    async close() {
      closing.abort()
      cleaned.resolve()
      await Promise.all([...recrawls, ...[...runs.values()].map((run) => run.ended)])
      await deps.parsePool.close()
      await deps.fetcher.close()
      await index.close()
      await store.close()
    },
  }
}
