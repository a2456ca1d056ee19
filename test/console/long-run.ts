// A run with an event for each of its pages, as a store keeps it.
import type { Project } from '../../services/store/project.ts'
import { type LoggedEvent, noPages } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'

/** A tenth of its pages failed, the others were skipped. Returns the run's UUID. */
export async function writeLongRun(
  { runs, addresses }: Store,
  { uuid: project, team }: Project,
  length: number,
): Promise<string> {
  const at = '2026-11-01T00:00:00.000Z'
  const uuid = crypto.randomUUID()
  const events = Array.from({ length }, (_, n): LoggedEvent => {
    const url = `https://docs.example.com/manual/part-${n % 100}/page-${n}.html`
    const isFailed = n % 10 === 0
    return {
      ...{ id: `page:${url}`, at, url, sourceUuid: null, sequence: n + 1 },
      level: isFailed ? 'error' : 'info',
      type: isFailed ? 'page_failed' : 'page_skipped',
      reason: isFailed ? 'http_5xx' : 'robots',
      message: isFailed ? 'The server answered 500.' : 'robots.txt does not allow it.',
    }
  })
  const pages = { ...noPages, discovered: length, skipped: length * 0.9, failed: length * 0.1 }
  await runs.restore(
    {
      ...{ uuid, team, project, pages, fence: 0, trigger: 'api', status: 'completed' },
      ...{ createdAt: at, startedAt: at, finishedAt: at, error: null, supersededBy: null, sourcesFailed: 0 },
    },
    events,
  )
  await addresses.restore(
    project,
    events.map(({ url, type, reason, message, at, sourceUuid }) => ({
      ...{ url: url!, status: type === 'page_failed' ? 'failed' : 'skipped' },
      ...{ reason, message, at, sourceUuid, httpStatus: null },
    })),
  )
  return uuid
}
