// All addresses of a project with their outcomes, failed ones first, and a field to look one up.
import { useEffect, useMemo } from 'preact/hooks'
import { projectHref, type ScreenProps } from '../address.ts'
import { useEvery, useLoad } from '../load.ts'
import { FilterChoice, FilterText, useFilters } from '../parts/filters.tsx'
import { Empty, Head } from '../parts/notices.tsx'
import { createPagedRows } from '../parts/paged-rows.ts'
import { type Column, RowTable } from '../parts/row-table.tsx'
import { State, toPath, When } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { List, ListedPage } from '../rows.ts'
import { api } from '../session.ts'
import { projectPath, readSources } from '../sources.ts'
import { LookupField } from './page.tsx'
import { PageTree } from './page-tree.tsx'

const statuses = ['failed', 'skipped', 'pending', 'indexed'].map((each) => [each, each] as const)
const reasons = Object.entries(remedies)
  .filter(([reason]) => reason !== 'unfetchable')
  .map(([reason, { title }]) => [reason, title] as const)

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const filters = useFilters('url', 'status', 'reason', 'source_uuid')
  const sources = useLoad((signal) => readSources(slug, signal), [slug])
  const rows = useMemo(
    () =>
      createPagedRows<ListedPage>((page, signal) =>
        api.get<List<ListedPage>>(projectPath(slug, 'pages/'), { ...filters, ...page }, signal),
      ),
    [slug, ...Object.values(filters)],
  )
  useEffect(() => () => rows.close(), [rows])
  useEvery(10_000, rows.refresh)

  const isFiltered = Object.values(filters).some(Boolean)
  return (
    <section>
      <Head title="Pages" about="Every address that the sources list, and its outcome." />
      <LookupField slug={slug} url="" />
      <div class="filters">
        <FilterText name="url" label="Address begins with" value={filters.url} placeholder="https://" />
        <FilterChoice name="status" label="State" value={filters.status} options={statuses} />
        <FilterChoice name="reason" label="Reason" value={filters.reason} options={reasons} />
        {(sources.value?.length ?? 0) > 1 && (
          <FilterChoice
            name="source_uuid"
            label="Source"
            value={filters.source_uuid}
            options={sources.value!.map(({ uuid, name }) => [uuid, name] as const)}
          />
        )}
      </div>
      <PageTree slug={slug} url={filters.url} />
      <RowTable
        label="Pages"
        columns={toColumns(slug)}
        rows={rows}
        empty={
          isFiltered ? (
            <Empty title="No page matches the filters">
              <p>
                <a href={projectHref(slug, 'pages')}>Show all pages</a>
              </p>
            </Empty>
          ) : (
            <Empty title="There are no pages yet">
              <p>
                Pages appear when a sync reads a source.{' '}
                <a href={projectHref(slug, 'sources')}>Add a source</a> or{' '}
                <a href={projectHref(slug, 'runs')}>start a sync</a>.
              </p>
            </Empty>
          )
        }
      />
    </section>
  )
}

/** In a narrow window, without what is the same for most pages. */
function Address({ url }: { url: string }) {
  const path = toPath(url)
  return (
    <>
      <span class="wide">{url.slice(0, url.length - path.length)}</span>
      {path}
    </>
  )
}

const toColumns = (slug: string): Column<ListedPage>[] => [
  {
    title: 'Address',
    cell: ({ url, title }) => (
      <a href={projectHref(slug, 'pages/lookup', { url })} title={title ? `${title}\n${url}` : url}>
        <Address url={url} />
      </a>
    ),
  },
  { title: 'State', width: '7rem', cell: ({ status }) => <State name={status} /> },
  {
    title: 'Reason',
    width: '13rem',
    isWide: true,
    cell: ({ reason }) => reason && (remedies[reason]?.title ?? reason),
  },
  {
    title: 'Sections',
    width: '6rem',
    isWide: true,
    isNumber: true,
    cell: ({ status, sections, embedded }) =>
      status === 'indexed' && <span title={`${embedded} embedded`}>{sections}</span>,
  },
  {
    title: 'Fetched',
    width: '8rem',
    isWide: true,
    cell: ({ last_fetched_at }) => <When at={last_fetched_at} />,
  },
]
