// Runs of a project: calls, and following a live run.
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError } from './api.ts'
import type { List, RunStatus, SyncRun, SyncSummary } from './rows.ts'
import { api } from './session.ts'
import { projectPath } from './sources.ts'

export const isLive = (status: RunStatus) => status === 'queued' || status === 'running'

/** Outcomes of a page, each with its event types. Unchanged pages have none. */
export const outcomes = [
  ['added', 'page_added'],
  ['updated', 'page_updated'],
  ['unchanged', null],
  ['skipped', 'page_skipped'],
  ['failed', 'page_failed'],
] as const

/** Who started a run, by its trigger. */
export const starters: Record<SyncRun['trigger'], string> = {
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
  schedule: 'the schedule',
}

export function startSync(slug: string): Promise<SyncSummary> {
  return api.post<SyncSummary>(projectPath(slug, 'sync/'), { trigger: 'console' })
}

export function readRuns(slug: string, limit: number, signal?: AbortSignal): Promise<List<SyncRun>> {
  return api.get<List<SyncRun>>(projectPath(slug, 'syncs/'), { limit }, signal)
}

export function readRun(slug: string, uuid: string, signal?: AbortSignal): Promise<SyncRun> {
  return api.get<SyncRun>(projectPath(slug, `sync/${uuid}/`), {}, signal)
}

export interface WatchedRun {
  run: SyncRun
  /** The last page that was read. */
  url: string | null
  pages_per_second: number
  /** How often it was resumed after the process ended. */
  resumed: number
}

interface Watch {
  onRun(watched: WatchedRun): void
  /** Null once Lectern is available again. */
  onError(error: ApiError | null): void
}

const pauseMs = 2_000

/** Follows a run to its end, across restarts of the server. Pauses in a hidden tab. Returns a function that stops it. */
export function watchRun(slug: string, uuid: string, { onRun, onError }: Watch): () => void {
  const path = projectPath(slug, `sync/${uuid}/watch/`)
  let isEnded = false
  let stream: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function follow({ signal }: AbortController) {
    try {
      const response = await api.open(path, {}, 'text/event-stream', signal)
      onError(null)
      const events = response
        .body!.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
      const reader = events.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        const watched = JSON.parse(value.data)
        if (value.event === 'error') throw new ApiError(0, watched.error)
        onRun(watched)
        isEnded = !isLive(watched.run.status)
      }
      if (!isEnded) throw new ApiError(0, 'The connection to Lectern was lost.')
    } catch (cause) {
      if (signal.aborted) return
      const error = cause instanceof ApiError ? cause : new ApiError(0, 'The connection to Lectern was lost.')
      onError(error)
      isEnded = error.status >= 400 && error.status < 500 && error.status !== 429
    }
    if (!isEnded && !signal.aborted) timer = setTimeout(see, pauseMs)
  }

  function see() {
    clearTimeout(timer)
    stream?.abort()
    stream = null
    if (isEnded || document.hidden) return
    stream = new AbortController()
    void follow(stream)
  }

  document.addEventListener('visibilitychange', see)
  see()
  return () => {
    isEnded = true
    document.removeEventListener('visibilitychange', see)
    see()
  }
}
