// C8: searches, clicks and questions of readers by day, and gaps in the documentation.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { projectHref, type ScreenProps, setFilters } from '../address.ts'
import { saveFile } from '../files.ts'
import { useLoad } from '../load.ts'
import { FilterDay, useFilters } from '../parts/filters.tsx'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { Plot } from '../parts/plot.tsx'
import { PlainTable } from '../parts/short-table.tsx'
import { sayError } from '../parts/toasts.tsx'
import { formatNumber, Outside } from '../parts/values.tsx'
import type { ChatReport, Insights, McpReport, PageFrequency, SearchReport } from '../reader-rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { Clusters } from './clusters.tsx'

type Kind = 'search' | 'chat' | 'mcp' | 'insights'
type Range = { start_date: string; end_date: string }

const ranges = [7, 30, 90, 366]
const dayMs = 86_400_000

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const range = useFilters('start_date', 'end_date')
  const read = <T,>(kind: Kind) =>
    useLoad(
      (signal) => api.get<T>(projectPath(slug, `analytics/${kind}/`), range, signal),
      [slug, range.start_date, range.end_date],
    )
  const search = read<SearchReport>('search')
  const chat = read<ChatReport>('chat')
  const mcp = read<McpReport>('mcp')
  const insights = read<Insights>('insights')
  const error = search.error ?? chat.error ?? mcp.error ?? insights.error
  return (
    <section>
      <Head title="Readers" about="What readers search, click and ask, by days in UTC." />
      <div class="filters">
        <FilterDay
          name="start_date"
          label="From"
          value={range.start_date || (search.value?.start_date ?? '')}
        />
        <FilterDay name="end_date" label="Until" value={range.end_date || (search.value?.end_date ?? '')} />
        {ranges.map((days) => (
          <button key={days} type="button" onClick={() => setFilters(toRange(days))}>
            {days} days
          </button>
        ))}
      </div>
      {error && <Failure error={error} onRetry={search.reload} />}
      {search.value ? <Searches slug={slug} report={search.value} range={range} /> : !error && <Waiting />}
      {chat.value && <Questions slug={slug} report={chat.value} range={range} />}
      {insights.value && <Gaps slug={slug} insights={insights.value} range={range} />}
      {mcp.value && mcp.value.totals.sessions > 0 && <Agents slug={slug} report={mcp.value} range={range} />}
    </section>
  )
}

/** The last days, including today. */
function toRange(days: number): Range {
  const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return { start_date: toDay(Date.now() - (days - 1) * dayMs), end_date: toDay(Date.now()) }
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

function Searches({ slug, report, range }: { slug: string; report: SearchReport; range: Range }) {
  const { totals, daily } = report
  const series = useMemo(
    () => [
      { label: 'Searches', values: daily.map(({ searches }) => searches) },
      { label: 'Clicks', values: daily.map(({ clicks }) => clicks) },
      { label: 'Without a result', values: daily.map(({ no_result_searches }) => no_result_searches) },
      {
        label: 'Click rate',
        values: daily.map(({ click_rate, searches }) => (searches > 0 ? click_rate : null)),
        isShare: true,
      },
    ],
    [report],
  )
  const days = useMemo(() => daily.map(({ date }) => date), [report])
  return (
    <Card title="Searches" slug={slug} kind="search" range={range}>
      <Figures
        figures={{
          Searches: formatNumber(totals.searches),
          'Different queries': formatNumber(totals.unique_queries),
          Clicks: formatNumber(totals.clicks),
          'Click rate': percent(totals.click_rate),
          'Without a result': formatNumber(totals.no_result_searches),
        }}
      />
      {totals.searches === 0 ? (
        <Empty title="Nobody searched on these days">
          <a href={projectHref(slug, 'embed')}>Embed the search in your pages</a>
        </Empty>
      ) : (
        <Plot label="Searches and clicks per day" days={days} series={series} />
      )}
      <div class="halves">
        <Top title="Most frequent" rows={report.top_queries.map(({ query, count }) => [query, count])} />
        <Top
          title="Without a result"
          rows={report.top_no_result_queries.map(({ query, count }) => [query, count])}
        />
        <Top title="Most clicked pages" rows={report.top_clicked.map(toRow)} />
      </div>
    </Card>
  )
}

function Questions({ slug, report, range }: { slug: string; report: ChatReport; range: Range }) {
  const { totals, daily } = report
  const series = useMemo(
    () => [
      { label: 'Answered', values: daily.map(({ answered }) => answered) },
      { label: 'Pointed', values: daily.map(({ pointed }) => pointed) },
      { label: 'Refused', values: daily.map(({ refused }) => refused) },
      {
        label: 'Satisfaction',
        values: daily.map(({ satisfaction, positive, negative }) =>
          positive + negative > 0 ? satisfaction : null,
        ),
        isShare: true,
      },
    ],
    [report],
  )
  const days = useMemo(() => daily.map(({ date }) => date), [report])
  const link = (outcome: string) => projectHref(slug, 'conversations', { outcome, ...range })
  const linked = (outcome: string, count: number) =>
    may('chats_read') ? <a href={link(outcome)}>{formatNumber(count)}</a> : formatNumber(count)
  return (
    <Card title="Questions" slug={slug} kind="chat" range={range}>
      <Figures
        figures={{
          Conversations: formatNumber(totals.chats),
          Messages: formatNumber(totals.messages),
          'Readers with e-mail': formatNumber(totals.unique_users),
          Answered: linked('answered', totals.answered),
          Pointed: linked('pointed', totals.pointed),
          Refused: linked('refused', totals.refused),
          'Rated helpful': `${formatNumber(totals.positive)} of ${formatNumber(totals.positive + totals.negative)}`,
        }}
      />
      {totals.messages > 0 && <Plot label="Outcomes of questions per day" days={days} series={series} />}
      <div class="halves">
        <Top title="Most cited pages" rows={report.top_cited_pages.map(toRow)} />
        <Top title="Pages where readers ask" rows={report.top_question_pages.map(toRow)} />
      </div>
    </Card>
  )
}

function Gaps({ slug, insights, range }: { slug: string; insights: Insights; range: Range }) {
  return (
    <Card title="What readers ask, and what is missing" slug={slug} kind="insights" range={range}>
      <h3>Gaps: questions without an answer, searches without a result</h3>
      <Clusters slug={slug} clusters={insights.content_gaps} />
      <h3>Frequent questions</h3>
      <Clusters slug={slug} clusters={insights.frequent_questions} />
    </Card>
  )
}

function Agents({ slug, report, range }: { slug: string; report: McpReport; range: Range }) {
  const { totals } = report
  return (
    <Card title="Agents" slug={slug} kind="mcp" range={range}>
      <Figures
        figures={{
          Sessions: formatNumber(totals.sessions),
          'Tool calls': formatNumber(totals.tool_calls),
          Errors: formatNumber(totals.errors),
        }}
      />
      <div class="halves">
        <Top title="Tools" rows={report.top_tools.map(({ tool, count }) => [tool, count])} />
        <Top title="Clients" rows={report.top_clients.map(({ client, count }) => [client, count])} />
      </div>
    </Card>
  )
}

interface CardProps {
  title: string
  slug: string
  kind: Kind
  range: Range
  children: ComponentChildren
}

function Card({ title, slug, kind, range, children }: CardProps) {
  async function download() {
    const response = await api.open(projectPath(slug, `analytics/${kind}/`), range, 'text/csv')
    saveFile(await response.blob(), `${slug}-${kind}.csv`)
  }
  return (
    <div class="card">
      <div class="head">
        <h2>{title}</h2>
        <button type="button" aria-label={`${title} as CSV`} onClick={() => void download().catch(sayError)}>
          CSV
        </button>
      </div>
      {children}
    </div>
  )
}

function Figures({ figures }: { figures: Record<string, ComponentChildren> }) {
  return (
    <dl class="figures">
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const toRow = ({ url, title, count }: PageFrequency): [ComponentChildren, number] => [
  <Outside key={url} url={url}>
    {title ?? url}
  </Outside>,
  count,
]

function Top({ title, rows }: { title: string; rows: [ComponentChildren, number][] }) {
  return (
    <PlainTable label={title} titles={[title, ['Count', 'number']]} rows={rows}>
      {([name, count], at) => (
        <tr key={at}>
          <td>{name}</td>
          <td class="number">{formatNumber(count)}</td>
        </tr>
      )}
    </PlainTable>
  )
}
