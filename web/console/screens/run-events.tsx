// The event log of a run: filters, a table of any length, and CSV.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { address, projectHref, toHref } from '../address.ts'
import { saveFile } from '../files.ts'
import { useEvery, useLoad } from '../load.ts'
import { FilterChoice, FilterText, useFilters } from '../parts/filters.tsx'
import { Empty } from '../parts/notices.tsx'
import { createPagedRows, pageSize } from '../parts/paged-rows.ts'
import { type Column, RowTable } from '../parts/row-table.tsx'
import { sayError } from '../parts/toasts.tsx'
import { formatNumber, State, toPath } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { List, Source, SyncEvent, SyncRun } from '../rows.ts'
import { isLive } from '../runs.ts'
import { api } from '../session.ts'
import { projectPath, readSources } from '../sources.ts'

const levels = ['error', 'warning', 'info'].map((each) => [each, each] as const)
const types = [
  ...['page_failed', 'page_skipped', 'page_added', 'page_updated', 'page_removed', 'removals_held'],
  ...['run_started', 'run_resumed', 'source_started', 'source_finished', 'run_finished'],
].map((each) => [each, each.replaceAll('_', ' ')] as const)
const reasons = Object.entries(remedies)
  .filter(([reason]) => reason !== 'unfetchable')
  .map(([reason, { title }]) => [reason, title] as const)

type Filters = Record<'level' | 'type' | 'reason' | 'source_uuid' | 'url', string>

export function RunEvents({ slug, run }: { slug: string; run: SyncRun }) {
  const filters: Filters = useFilters('level', 'type', 'reason', 'source_uuid', 'url')
  const sources = useLoad((signal) => readSources(slug, signal), [slug])
  const path = projectPath(slug, `sync/${run.uuid}/events/`)
  const rows = useMemo(
    () =>
      createPagedRows<SyncEvent>((page, signal) =>
        api.get<List<SyncEvent>>(path, { ...filters, ...page }, signal),
      ),
    [path, ...Object.values(filters)],
  )
  useEffect(() => () => rows.close(), [rows])
  useEvery(isLive(run.status) ? 2_000 : null, rows.refresh)
  // The last events arrive when the run ends.
  useEffect(() => {
    if (!isLive(run.status)) rows.refresh()
  }, [run.status])

  const sourceNames = (sources.value ?? []).map(({ uuid, name }) => [uuid, name] as const)
  return (
    <div class="events">
      <div class="head">
        <h2>Events</h2>
        <CsvButton path={path} filters={filters} name={`${slug}-${run.uuid}`} />
      </div>
      <div class="filters">
        <FilterChoice name="level" label="Level" value={filters.level} options={levels} />
        <FilterChoice name="type" label="Event" value={filters.type} options={types} />
        <FilterChoice name="reason" label="Reason" value={filters.reason} options={reasons} />
        {sourceNames.length > 1 && (
          <FilterChoice name="source_uuid" label="Source" value={filters.source_uuid} options={sourceNames} />
        )}
        <FilterText name="url" label="Address" value={filters.url} placeholder="https://" />
      </div>
      <RowTable
        label="Events"
        isQuiet
        columns={toColumns(slug, sources.value ?? [])}
        rows={rows}
        empty={
          Object.values(filters).some(Boolean) ? (
            <Empty title="No event matches the filters">
              <p>
                <a href={toHref(address.value.path)}>Show all events</a>
              </p>
            </Empty>
          ) : (
            <Empty title="There are no events">
              <p>
                {isLive(run.status)
                  ? 'They appear as pages are read.'
                  : 'Events are kept for the 20 newest runs of a project.'}
              </p>
            </Empty>
          )
        }
      />
    </div>
  )
}

const times = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

const toColumns = (slug: string, sources: Source[]): Column<SyncEvent>[] => [
  {
    title: 'Time',
    width: '5.5rem',
    isWide: true,
    cell: ({ at }) => (
      <time dateTime={at} title={new Date(at).toLocaleString('en')}>
        {times.format(new Date(at))}
      </time>
    ),
  },
  { title: 'Level', width: '5.5rem', isWide: true, cell: ({ level }) => level },
  { title: 'Event', width: '10rem', cell: ({ level, type }) => <State name={level} text={type} /> },
  {
    title: 'Reason',
    width: '11rem',
    isWide: true,
    cell: ({ reason }) => reason && <span title={reason}>{remedies[reason]?.title ?? reason}</span>,
  },
  {
    title: 'Page or source',
    cell: ({ url, source_uuid }) =>
      url === null ? (
        <SourceName slug={slug} source={sources.find(({ uuid }) => uuid === source_uuid)} />
      ) : (
        <a href={projectHref(slug, 'pages/lookup', { url })} title={url}>
          {toPath(url)}
        </a>
      ),
    below: ({ reason, message }) => (
      <>
        {reason && <strong>{remedies[reason]?.title ?? reason}</strong>} {message}
      </>
    ),
  },
  { title: 'Message', isWide: true, cell: ({ message }) => <span title={message}>{message}</span> },
]

/** The complete error of a source is on the screen of the sources. */
function SourceName({ slug, source }: { slug: string; source: Source | undefined }) {
  return source ? <a href={projectHref(slug, 'sources')}>{source.name}</a> : null
}

const csvColumns = ['sequence', 'at', 'level', 'type', 'url', 'source_uuid', 'reason', 'message'] as const
const pagesAtOnce = 4

/** Saves all events that match the filters. */
function CsvButton({ path, filters, name }: { path: string; filters: Filters; name: string }) {
  const [work, setWork] = useState<{ done: number; leave: AbortController } | null>(null)
  useEffect(() => () => work?.leave.abort(), [])

  async function download() {
    const leave = new AbortController()
    const lines = [csvColumns.join(',')]
    const read = (offset: number) =>
      api.get<List<SyncEvent>>(path, { ...filters, limit: pageSize, offset }, leave.signal)
    for (let offset = 0, count = 1; offset < count; ) {
      setWork({ done: lines.length - 1, leave })
      const offsets = Array.from({ length: pagesAtOnce }, (_, at) => offset + at * pageSize)
      const pages = await Promise.all(offsets.filter((each) => each < count).map(read))
      for (const { results } of pages)
        for (const event of results) lines.push(csvColumns.map((column) => toCell(event[column])).join(','))
      count = pages[0]!.count
      offset += pages.length * pageSize
    }
    saveFile(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), `${name}.csv`)
  }

  const start = () =>
    void download()
      .catch(sayError)
      .finally(() => setWork(null))
  return work === null ? (
    <button type="button" onClick={start}>
      Download as CSV
    </button>
  ) : (
    <button type="button" onClick={() => work.leave.abort()}>
      {formatNumber(work.done)} events read: cancel
    </button>
  )
}

/** Prefixes text that a spreadsheet would run as a formula with an apostrophe. */
function toCell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
