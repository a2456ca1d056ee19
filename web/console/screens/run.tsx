// C3, a run: live counts, the outcomes of its pages, and its events.
import { useEffect, useState } from 'preact/hooks'
import { projectHref, type ScreenProps } from '../address.ts'
import type { ApiError } from '../api.ts'
import { useLoad } from '../load.ts'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { Legend, OutcomeBar } from '../parts/outcomes.tsx'
import { sayError } from '../parts/toasts.tsx'
import { Fact, formatCount, formatDuration, formatNumber, Meter, RunState, When } from '../parts/values.tsx'
import type { List, SyncEvent } from '../rows.ts'
import { isLive, outcomes, readRun, starters, type WatchedRun, watchRun } from '../runs.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { RunEvents } from './run-events.tsx'

export function Screen({ parameters: { slug = '', uuid = '' } }: ScreenProps) {
  const [watched, setWatched] = useState<WatchedRun | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => watchRun(slug, uuid, { onRun: setWatched, onError: setError }), [slug, uuid])

  if (watched === null) return error ? <Failure error={error} /> : <Waiting />
  const { run } = watched
  async function cancel() {
    await api.post(projectPath(slug, `sync/${uuid}/cancel/`))
    setWatched({ ...watched!, run: await readRun(slug, uuid) })
  }
  return (
    <section>
      <Head
        title="Run"
        about={
          <>
            Started by {starters[run.trigger]}, <When at={run.created_at} /> ·{' '}
            <a href={projectHref(slug, 'runs')}>all runs</a>
          </>
        }
      >
        {isLive(run.status) && may('sync_create') && (
          <button class="danger" type="button" onClick={() => void cancel().catch(sayError)}>
            Cancel
          </button>
        )}
      </Head>
      {error && (
        <div class="notice" role="status">
          <p>{error.message} The counts continue when it responds.</p>
        </div>
      )}
      <Notices slug={slug} watched={watched} />
      <Counts slug={slug} watched={watched} />
      <RunEvents slug={slug} run={run} />
    </section>
  )
}

function Notices({ slug, watched: { run, resumed } }: { slug: string; watched: WatchedRun }) {
  const path = projectPath(slug, `sync/${run.uuid}/events/`)
  const held = useLoad(
    (signal) => api.get<List<SyncEvent>>(path, { type: 'removals_held', limit: 1 }, signal),
    [run.uuid, run.status],
  )
  const [warning] = held.value?.results ?? []
  return (
    <>
      {run.error && (
        <div class="notice bad">
          <p>{run.error}</p>
        </div>
      )}
      {run.sources_failed > 0 && (
        <div class="notice bad">
          <p>{formatCount(run.sources_failed, 'source')} could not be read. What was indexed before stays.</p>
          <a href={projectHref(slug, 'sources')}>To the sources</a>
        </div>
      )}
      {resumed > 0 && (
        <div class="notice">
          <p>
            The run was resumed{resumed > 1 && ` ${resumed} times`}: Lectern was stopped during the run, which
            then continued from its last checkpoint.
          </p>
        </div>
      )}
      {warning && (
        <div class="notice">
          <p>{warning.message}</p>
        </div>
      )}
      {run.superseded_by && (
        <div class="notice">
          <p>A newer run took its place.</p>
          <a href={projectHref(slug, `runs/${run.superseded_by}`)}>To the newer run</a>
        </div>
      )}
    </>
  )
}

function Counts({ slug, watched: { run, url, pages_per_second } }: { slug: string; watched: WatchedRun }) {
  const { pages, embedding, started_at, finished_at } = run
  const took = started_at && (finished_at ? Date.parse(finished_at) : Date.now()) - Date.parse(started_at)
  const eventsHref = (type: string) => projectHref(slug, `runs/${run.uuid}`, { type })
  return (
    <div class="card">
      <div class="row">
        <h2>
          <RunState run={run} />
        </h2>
        <span class="quiet">
          {formatCount(pages.discovered, 'address', 'addresses')} discovered, {formatNumber(pages.fetched)}{' '}
          fetched
          {took !== null && ` in ${formatDuration(took as number)}`}
          {isLive(run.status) && `, ${pages_per_second.toFixed(1)} pages per second`}
        </span>
      </div>
      {isLive(run.status) && url && <p class="quiet one-line">{url}</p>}
      <OutcomeBar pages={pages} />
      <Legend />
      <ul class="counts" aria-label="Outcomes">
        {outcomes.map(([name, type]) => (
          <li key={name}>
            <strong>{formatNumber(pages[name])}</strong>
            {type && pages[name] > 0 ? <a href={eventsHref(type)}>{name}</a> : name}
          </li>
        ))}
        <li>
          <strong>{formatNumber(pages.pending)}</strong>
          {isLive(run.status) ? 'pending' : 'not reached'}
        </li>
        <li>
          <strong>{formatNumber(pages.removed)}</strong>
          {pages.removed > 0 ? <a href={eventsHref('page_removed')}>removed</a> : 'removed'}
        </li>
      </ul>
      {embedding && embedding.done + embedding.refused < embedding.total && (
        <dl class="facts">
          <Fact name="Embedding">
            {formatNumber(embedding.done)} of {formatCount(embedding.total, 'section')}
            <br />
            <Meter label="Embedded sections" value={embedding.done} max={embedding.total} />
          </Fact>
        </dl>
      )}
    </div>
  )
}
