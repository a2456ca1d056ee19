// C2, the page inspector: the outcome of an address, its reason, and the remedy.
import { useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { address, go, projectHref, type ScreenProps } from '../address.ts'
import { useLoad } from '../load.ts'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { PlainTable } from '../parts/short-table.tsx'
import { Dot, Fact, formatCount, formatNumber, Outside, State, When } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { PageDetail, Source, SyncEvent, SyncRun } from '../rows.ts'
import { readRuns } from '../runs.ts'
import { api, may } from '../session.ts'
import { projectPath, readSources } from '../sources.ts'
import { RecrawlButton, RecrawlOutcome, useRecrawl } from './recrawl.tsx'
import { UrlTester } from './url-tester.tsx'

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const { url = '' } = useStore(address).query
  return (
    <section>
      <Head title="Page inspector" about="The outcome of a page, and its reason." />
      <LookupField key={url} slug={slug} url={url} />
      {url === '' ? (
        <Empty title="Paste the address of a page">
          <p>
            Or pick one from <a href={projectHref(slug, 'pages')}>all pages</a>.
          </p>
        </Empty>
      ) : (
        <Lookup key={url} slug={slug} url={url} />
      )}
    </section>
  )
}

/** The field for an address. */
export function LookupField({ slug, url }: { slug: string; url: string }) {
  const [text, setText] = useState(url)
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const given = text.trim()
    if (given !== '') go(projectHref(slug, 'pages/lookup', { url: given }))
  }
  return (
    <form class="filters" role="search" onSubmit={submit}>
      <label class="grow">
        What happened to the page at this address?
        <input
          type="search"
          inputMode="url"
          value={text}
          placeholder="https://docs.example.com/guide/install.html"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button class="primary" type="submit">
        Look up
      </button>
    </form>
  )
}

function Lookup({ slug, url }: { slug: string; url: string }) {
  const page = useLoad(
    (signal) => api.get<PageDetail>(projectPath(slug, 'pages/lookup/'), { url }, signal),
    [slug, url],
  )
  const sources = useLoad((signal) => readSources(slug, signal), [slug])
  const runs = useLoad((signal) => readRuns(slug, knownRuns, signal), [slug])
  const { value, error } = page
  if (value === null) return error ? <Failure error={error} onRetry={page.reload} /> : <Waiting />
  return (
    <>
      {error && <Failure error={error} onRetry={page.reload} />}
      <Outcome
        page={value}
        slug={slug}
        whenRead={page.reload}
        testSource={findTestSource(value, sources.value ?? [])}
      />
      {(value.status !== 'unknown' || value.sources.length > 0) && (
        <Facts page={value} sources={sources.value ?? []} slug={slug} />
      )}
      <Sections page={value} />
      <LinkedFrom page={value} slug={slug} />
      <Events slug={slug} events={value.events} runs={runs.value?.results ?? []} />
    </>
  )
}

/** Events of the page in the newest runs. */
const knownRuns = 20

interface OutcomeProps {
  page: PageDetail
  slug: string
  whenRead(): void
  testSource: string | null
}

function Outcome({ page, slug, whenRead, testSource }: OutcomeProps) {
  const [isTesting, setTesting] = useState(false)
  const recrawl = useRecrawl(slug, page.url, () => {
    // The result of the test may be outdated.
    setTesting(false)
    whenRead()
  })
  const { url, title, status, reason, explanation } = page
  const remedy = reason === null ? undefined : remedies[reason]
  return (
    <div class="card">
      <div class="head">
        <div>
          <h2>
            <State name={status} />
            {remedy && `: ${remedy.title.toLowerCase()}`}
          </h2>
          {title && <p>{title}</p>}
          <p class="path">
            <Outside url={url} />
          </p>
        </div>
        <div class="row top">
          {testSource !== null && !isTesting && (
            <button type="button" onClick={() => setTesting(true)}>
              Test
            </button>
          )}
          <RecrawlButton {...recrawl} />
        </div>
      </div>
      <RecrawlOutcome {...recrawl} />
      <p>{explanation}</p>
      {reason && (
        <dl class="facts">
          <Fact name="Reason">
            <code>{reason}</code>
          </Fact>
          {remedy && (
            <>
              <Fact name="Meaning">{remedy.meaning}</Fact>
              <Fact name="What to do">{remedy.remedy}</Fact>
            </>
          )}
        </dl>
      )}
      {status === 'unknown' && page.sources.length === 0 && may('sources_create') && (
        <p>
          <a href={projectHref(slug, 'sources/new', { type: 'url', url })}>Add it as a separate source</a>, or
          a <a href={projectHref(slug, 'sources/new', { type: 'site', url })}>site that it belongs to</a>.
        </p>
      )}
      {isTesting && testSource !== null && <UrlTester slug={slug} uuid={testSource} url={url} />}
    </div>
  )
}

const testable = ['site', 'sitemap', 'url']

/** The source whose settings a test of the page uses: the one that includes it, or else the first one. */
function findTestSource(page: PageDetail, sources: Source[]): string | null {
  if (!may('sources_create')) return null
  const isTestable = (uuid: string) =>
    sources.some((each) => each.uuid === uuid && testable.includes(each.type))
  const covering = page.sources.filter(({ uuid }) => isTestable(uuid))
  return (covering.find(({ verdict }) => verdict === 'taken') ?? covering[0])?.uuid ?? null
}

function Facts({ page, sources, slug }: { page: PageDetail; sources: Source[]; slug: string }) {
  const { sections, embedded } = page
  // Usually the source that includes the page, which is shown already.
  const listedBy = page.source_uuids
    .filter((uuid) => !page.sources.some((each) => each.uuid === uuid))
    .map((uuid) => sources.find((each) => each.uuid === uuid)?.name ?? 'a source that was deleted')
  const hasFailed = (uuid: string) => sources.some((each) => each.uuid === uuid && each.state === 'failed')
  const inspect = (url: string) => <a href={projectHref(slug, 'pages/lookup', { url })}>{url}</a>
  return (
    <div class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {page.sources.map(({ uuid, name, verdict, rule }) => (
          <Fact key={uuid} name={verdict === 'taken' ? 'Covered by' : 'Excluded by'}>
            {may('sources_create') ? <a href={projectHref(slug, `sources/${uuid}`)}>{name}</a> : name}
            <div class="quiet">{rule}</div>
            {hasFailed(uuid) && <Dot tone="bad">The last sync could not read this source.</Dot>}
          </Fact>
        ))}
        {listedBy.length > 0 && <Fact name="Listed by">{listedBy.join(', ')}</Fact>}
        <Fact name="HTTP status">{page.http_status ?? 'none'}</Fact>
        {page.redirects.length > 0 && <Fact name="Leads to">{page.redirects.map(inspect)}</Fact>}
        {page.canonical && <Fact name="Canonical address">{inspect(page.canonical)}</Fact>}
        <Fact name="Last fetched">
          <When at={page.last_fetched_at} />
        </Fact>
        {page.last_changed_at && (
          <Fact name="Text changed">
            <When at={page.last_changed_at} />
          </Fact>
        )}
        {sections.length > 0 && (
          <Fact name="Embedded">
            {embedded} of {formatCount(sections.length, 'section')}
          </Fact>
        )}
        {page.version && <Fact name="Version">{page.version}</Fact>}
        {page.language && <Fact name="Language">{page.language}</Fact>}
        {page.content_hash && (
          <Fact name="Hash of the text">
            <code>{page.content_hash}</code>
          </Fact>
        )}
      </dl>
    </div>
  )
}

function Sections({ page: { sections } }: { page: PageDetail }) {
  if (sections.length === 0) return null
  return (
    <details class="card" open={sections.length <= 30}>
      <summary>
        <h2>{formatCount(sections.length, 'section')} in the index</h2>
      </summary>
      <PlainTable
        label="Sections"
        titles={['Heading', ['Characters', 'number'], 'Embedded']}
        rows={sections.slice(0, maxSections)}
      >
        {({ title, url, characters, embedded }, at) => (
          <tr key={at}>
            <td>
              <Outside url={url}>{title || '(no heading)'}</Outside>
            </td>
            <td class="number">{formatNumber(characters)}</td>
            <td>{embedded ? 'yes' : 'no'}</td>
          </tr>
        )}
      </PlainTable>
      {sections.length > maxSections && <p class="quiet">The first {maxSections} are shown.</p>}
    </details>
  )
}

const maxSections = 300

function LinkedFrom({ page: { linked_from }, slug }: { page: PageDetail; slug: string }) {
  return (
    <div class="card">
      <h2>Linked from</h2>
      {linked_from.length === 0 ? (
        <p class="quiet">No link was found in the pages of its folder and the start pages of the sources.</p>
      ) : (
        <ul class="addresses">
          {linked_from.map((url) => (
            <li key={url}>
              <a href={projectHref(slug, 'pages/lookup', { url })}>{url}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Runs of a project do not overlap, so the time of an event identifies its run. */
function findRun(at: string, runs: SyncRun[]): SyncRun | undefined {
  return runs.find(
    ({ created_at, finished_at }) => created_at <= at && (finished_at === null || at <= finished_at),
  )
}

function Events({ slug, events, runs }: { slug: string; events: SyncEvent[]; runs: SyncRun[] }) {
  if (events.length === 0) return null
  return (
    <div class="card">
      <h2>Events</h2>
      <PlainTable label="Events" titles={['Level', 'Time', 'Event', 'Run']} rows={events}>
        {(event) => {
          const run = findRun(event.at, runs)
          return (
            <tr key={`${event.at}${event.sequence}`}>
              <td>
                <State name={event.level} />
              </td>
              <td>
                <When at={event.at} />
              </td>
              <td>
                {event.type.replaceAll('_', ' ')}
                {event.reason && ` (${event.reason})`}: {event.message}
              </td>
              <td class="one-line">
                {run && (
                  <a href={projectHref(slug, `runs/${run.uuid}`, { url: event.url ?? '' })}>Open the run</a>
                )}
              </td>
            </tr>
          )
        }}
      </PlainTable>
      <p class="quiet">A run that finds the page unchanged writes no event.</p>
    </div>
  )
}
