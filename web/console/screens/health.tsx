// C11: problems of the documentation that the last crawl found, with the remedy for each kind.
import { useEffect, useMemo } from 'preact/hooks'
import { projectHref, type ScreenProps } from '../address.ts'
import { useLoad } from '../load.ts'
import { FilterChoice, useFilters } from '../parts/filters.tsx'
import { Empty, Head } from '../parts/notices.tsx'
import { createPagedRows } from '../parts/paged-rows.ts'
import { type Column, RowTable } from '../parts/row-table.tsx'
import { formatNumber, Outside } from '../parts/values.tsx'
import type { Finding, FindingKind, List } from '../rows.ts'
import { readRuns } from '../runs.ts'
import { api } from '../session.ts'
import { projectPath } from '../sources.ts'

const kinds: Record<FindingKind, { title: string; remedy: string }> = {
  broken_link: {
    title: 'Broken links',
    remedy: 'Restore the page, redirect its address, or change the links of the pages that name it.',
  },
  broken_anchor: {
    title: 'Broken anchors',
    remedy: 'Give the heading its id again, or change the links of the pages that name it.',
  },
  duplicate: {
    title: 'Duplicates',
    remedy: 'Keep one of the pages, or name it in the others by a canonical link: search shows one of them.',
  },
  orphan: {
    title: 'Orphans',
    remedy: 'Link to the page from where readers look for it, or take it out of the sitemap.',
  },
  thin: {
    title: 'Thin pages',
    remedy: 'Say more on the page, or move its text to a page that readers find.',
  },
}

const names = Object.keys(kinds) as FindingKind[]

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const { kind } = useFilters('kind')
  const path = projectPath(slug, 'health/')
  const counts = useLoad(
    (signal) =>
      Promise.all(
        names.map((each) =>
          api.get<List<Finding>>(path, { kind: each, limit: 1 }, signal).then(({ count }) => count),
        ),
      ),
    [slug],
  )
  const rows = useMemo(
    () => createPagedRows((page, signal) => api.get<List<Finding>>(path, { kind, ...page }, signal)),
    [path, kind],
  )
  useEffect(() => rows.close, [rows])
  const runs = useLoad((signal) => readRuns(slug, 1, signal), [slug])
  const chosen = names.find((each) => each === kind)
  return (
    <section>
      <Head title="Health" about="What the last crawl found wrong with the documentation." />
      {counts.value && (
        <dl class="figures">
          {names.map((each, at) => (
            <div key={each}>
              <dt>{kinds[each].title}</dt>
              <dd>
                <a href={projectHref(slug, 'health', { kind: each })}>{formatNumber(counts.value![at]!)}</a>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div class="filters">
        <FilterChoice
          name="kind"
          label="Kind"
          value={kind}
          options={names.map((each) => [each, kinds[each].title] as const)}
        />
      </div>
      {chosen && <p>{kinds[chosen].remedy}</p>}
      <RowTable
        label="Findings"
        columns={toColumns(slug)}
        rows={rows}
        rowHeight={62}
        empty={
          runs.value?.count === 0 ? (
            <Empty title="The project was never synced">
              <p>
                What is wrong is found by a sync. <a href={projectHref(slug, 'runs')}>Start a sync</a>
              </p>
            </Empty>
          ) : (
            <Empty title="Nothing is wrong">
              <p>
                {chosen
                  ? 'The last crawl found none of these. '
                  : 'The last crawl found nothing of these kinds. '}
                Links to other sites are not checked.
              </p>
            </Empty>
          )
        }
      />
    </section>
  )
}

/** Maximum number that the API returns. */
const maxLinks = 20

function describeLinks(count: number): string {
  if (count === 1) return 'Linked from'
  return `Linked from ${count < maxLinks ? count : `${count} or more`} pages, one is`
}

function toColumns(slug: string): Column<Finding>[] {
  return [
    { title: 'Kind', width: '8rem', cell: ({ kind }) => kind.replaceAll('_', ' ') },
    {
      title: 'Page',
      cell: ({ url, title }) => (
        <>
          <a href={projectHref(slug, 'pages/lookup', { url })} title={url}>
            {title ?? url}
          </a>
          <div class="quiet">{title === null ? '' : url}</div>
        </>
      ),
      below: ({ message }) => message,
    },
    {
      title: 'What is wrong',
      isWide: true,
      cell: ({ message, linked_from }) => (
        <>
          <span title={message}>{message}</span>
          {linked_from.length > 0 && (
            <div class="quiet" title={linked_from.join('\n')}>
              {describeLinks(linked_from.length)} <Outside url={linked_from[0]!} />
            </div>
          )}
        </>
      ),
    },
  ]
}
