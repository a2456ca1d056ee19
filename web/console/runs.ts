// Runs of a project: calls, and what follows a live one.
import type { ApiError } from './api.ts'
import type { List, RunStatus, SyncRun, SyncSummary } from './rows.ts'
import { api } from './session.ts'
import { projectPath } from './sources.ts'

export const isLive = (status: RunStatus) => status === 'queued' || status === 'running'

/** Outcomes of a page, each with the events that tell of it; unchanged pages have none. */
export const outcomes = [
  ['added', 'page_added'],
  ['updated', 'page_updated'],
  ['unchanged', null],
  ['skipped', 'page_skipped'],
  ['failed', 'page_failed'],
] as const

export function startSync(slug: string): Promise<SyncSummary> {
  return api.post<SyncSummary>(projectPath(slug, 'sync/'), { trigger: 'console' })
}

export function readRuns(slug: string, limit: number, signal?: AbortSignal): Promise<List<SyncRun>> {
  return api.get<List<SyncRun>>(projectPath(slug, 'syncs/'), { limit }, signal)
}

export function readRun(slug: string, uuid: string, signal?: AbortSignal): Promise<SyncRun> {
  return api.get<SyncRun>(projectPath(slug, `sync/${uuid}/`), {}, signal)
}

interface Watch {
  onRun(run: SyncRun): void
  /** Null: Lectern answers again. */
  onError(error: ApiError | null): void
}

const pauseMs = 2_000

/** Follows a run to its end, over restarts of the server. The answer ends it. */
export function watchRun(slug: string, uuid: string, { onRun, onError }: Watch): () => void {
  const leave = new AbortController()
  const { signal } = leave

  async function follow() {
    while (!signal.aborted) {
      try {
        const run = await readRun(slug, uuid, signal)
        onError(null)
        onRun(run)
        if (!isLive(run.status)) return
      } catch (error) {
        if (signal.aborted) return
        onError(error as ApiError)
        if ((error as ApiError).status >= 400 && (error as ApiError).status < 500) return
      }
      await pause()
    }
  }

  /** A hidden tab waits until it is seen. */
  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        if (document.hidden && !signal.aborted) return
        clearTimeout(timer)
        document.removeEventListener('visibilitychange', go)
        resolve()
      }
      const timer = setTimeout(go, pauseMs)
      document.addEventListener('visibilitychange', () => !document.hidden && go())
      signal.addEventListener('abort', go)
    })
  }

  void follow()
  return () => leave.abort()
}
