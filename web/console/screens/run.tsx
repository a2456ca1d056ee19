// C3, one run: its counts live, what came of the pages, and its events.
import { useEffect, useState } from 'preact/hooks'
import { projectHref, type ScreenProps } from '../address.ts'
import type { ApiError } from '../api.ts'
import { useLoad } from '../load.ts'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { Legend, OutcomeBar, readRate, type Sample } from '../parts/outcomes.tsx'
import { sayError } from '../parts/toasts.tsx'
import { Fact, formatCount, formatDuration, formatNumber, Meter, State, When } from '../parts/values.tsx'
import type { List, SyncEvent, SyncRun } from '../rows.ts'
import { isLive, outcomes, readRun, watchRun } from '../runs.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { RunEvents } from './run-events.tsx'

export function Screen({ parameters: { slug = '', uuid = '' } }: ScreenProps) {
  const [run, setRun] = useState<SyncRun | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [samples, setSamples] = useState<Sample[]>([])

  function take(now: SyncRun) {
    setRun(now)
    const { discovered, pending } = now.pages
    setSamples((all) => [...all.slice(-60), { at: Date.now(), done: discovered - pending }])
  }
  useEffect(() => watchRun(slug, uuid, { onRun: take, onError: setError }), [slug, uuid])

  if (run === null) return error ? <Failure error={error} /> : <Waiting />
  async function cancel() {
    await api.post(projectPath(slug, `sync/${uuid}/cancel/`))
    take(await readRun(slug, uuid))
  }
  return (
    <section>
      <Head
        title="Run"
        about={
          <>
            Started by {run.trigger}, <When at={run.created_at} /> ·{' '}
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
          <p>{error.message} The counts go on as soon as it answers.</p>
        </div>
      )}
      <Notices slug={slug} run={run} />
      <Counts slug={slug} run={run} rate={readRate(samples)} />
      <RunEvents slug={slug} run={run} />
    </section>
  )
}

function Notices({ slug, run }: { slug: string; run: SyncRun }) {
  const path = projectPath(slug, `sync/${run.uuid}/events/`)
  // A restart may have come while it was looked at.
  const resumed = useLoad(
    (signal) => api.get<List<SyncEvent>>(path, { type: 'run_resumed', limit: 1 }, signal),
    [run.uuid, run.status],
    isLive(run.status) ? 5_000 : null,
  )
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
          <p>{formatCount(run.sources_failed, 'source')} could not be read. Their pages stay as they were.</p>
          <a href={projectHref(slug, 'sources')}>To the sources</a>
        </div>
      )}
      {(resumed.value?.count ?? 0) > 0 && (
        <div class="notice">
          <p>
            The run was resumed: Lectern ended while it was under way, and it went on from where it stood,{' '}
            <When at={resumed.value!.results[0]!.at} />.
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

function Counts({ slug, run, rate }: { slug: string; run: SyncRun; rate: number | null }) {
  const { pages, embedding, started_at, finished_at } = run
  const took = started_at && (finished_at ? Date.parse(finished_at) : Date.now()) - Date.parse(started_at)
  const eventsHref = (type: string) => projectHref(slug, `runs/${run.uuid}`, { type })
  return (
    <div class="card">
      <div class="row">
        <h2>
          <State name={run.status} />
        </h2>
        <span class="quiet">
          {formatCount(pages.discovered, 'address', 'addresses')} discovered, {formatNumber(pages.fetched)}{' '}
          fetched
          {took !== null && ` in ${formatDuration(took as number)}`}
          {isLive(run.status) && rate !== null && `, ${rate.toFixed(1)} a second`}
        </span>
      </div>
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
            <Meter label="Embedded sections" value={embedding.done} max={embedding.total} />{' '}
            {formatNumber(embedding.done)} of {formatCount(embedding.total, 'section')}
          </Fact>
        </dl>
      )}
    </div>
  )
}
