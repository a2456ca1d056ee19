// C3, the runs of a project: the last ones as a chart and a table, and a button to start one.
import { projectHref, type ScreenProps } from '../address.ts'
import { useLoad } from '../load.ts'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { Legend, OutcomeBar, RunColumns } from '../parts/outcomes.tsx'
import { PlainTable } from '../parts/short-table.tsx'
import { StartSync } from '../parts/start-sync.tsx'
import { formatDuration, formatNumber, RunState, When } from '../parts/values.tsx'
import type { Project, SyncRun } from '../rows.ts'
import { readRuns, starters } from '../runs.ts'
import { describeSchedule } from '../schedule-words.ts'
import { api } from '../session.ts'
import { projectPath } from '../sources.ts'

const shownRuns = 100
const drawnRuns = 30

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const { value, error, reload } = useLoad((signal) => readRuns(slug, shownRuns, signal), [slug], 4_000)
  const project = useLoad((signal) => api.get<Project>(projectPath(slug), {}, signal), [slug])
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  const runs = value.results
  const schedule = project.value?.config.sync.schedule
  return (
    <section>
      <Head
        title="Runs"
        about={
          schedule
            ? `A sync starts ${describeSchedule(schedule) ?? `by the schedule ${schedule}`} (UTC).`
            : 'There is no schedule: syncs start only when you start them.'
        }
      >
        <StartSync slug={slug} runs={runs} style="primary" />
      </Head>
      {error && <Failure error={error} onRetry={reload} />}
      {runs.length === 0 ? (
        <Empty title="The project was never synced">
          <p>
            A sync reads the pages of the <a href={projectHref(slug, 'sources')}>sources</a> and makes them
            searchable. Add a source if there is none, then start a sync.
          </p>
        </Empty>
      ) : (
        <>
          {runs.length > 1 && (
            <div class="card">
              <h2>Outcomes of the last {Math.min(runs.length, drawnRuns)} runs</h2>
              <RunColumns
                runs={runs.slice(0, drawnRuns).reverse()}
                toHref={({ uuid }) => projectHref(slug, `runs/${uuid}`)}
              />
              <Legend />
            </div>
          )}
          <Runs slug={slug} runs={runs} />
        </>
      )}
    </section>
  )
}

function Runs({ slug, runs }: { slug: string; runs: SyncRun[] }) {
  return (
    <PlainTable
      label="Runs"
      titles={[
        'Run',
        'State',
        ['Started by', 'wide'],
        ['Took', 'wide'],
        ['Outcomes', 'wide'],
        ['Addresses', 'number'],
        ['Failed', 'number'],
      ]}
      rows={runs}
    >
      {(run) => (
        <tr key={run.uuid}>
          <td>
            <a href={projectHref(slug, `runs/${run.uuid}`)}>
              <When at={run.created_at} />
            </a>
          </td>
          <td>
            <RunState run={run} />
          </td>
          <td class="wide">{starters[run.trigger]}</td>
          <td class="wide">{formatTook(run)}</td>
          <td class="wide bar">
            <OutcomeBar pages={run.pages} />
          </td>
          <td class="number">{formatNumber(run.pages.discovered)}</td>
          <td class="number">{formatNumber(run.pages.failed)}</td>
        </tr>
      )}
    </PlainTable>
  )
}

function formatTook({ started_at, finished_at }: SyncRun): string {
  if (started_at === null) return '–'
  const end = finished_at === null ? Date.now() : Date.parse(finished_at)
  return formatDuration(end - Date.parse(started_at))
}
