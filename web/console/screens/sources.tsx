// C4, the sources of a project: their state, and ways to add one.
import { projectHref, type ScreenProps } from '../address.ts'
import { useLoad } from '../load.ts'
import { ConfirmButton } from '../parts/dialog.tsx'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { StartSync } from '../parts/start-sync.tsx'
import { say } from '../parts/toasts.tsx'
import { Fact, formatCount, Outside, State, When } from '../parts/values.tsx'
import type { Source } from '../rows.ts'
import { readRuns } from '../runs.ts'
import { api, may } from '../session.ts'
import { sourceTypes } from '../source-types.ts'
import { projectPath, readSources } from '../sources.ts'
import { Upload } from './upload.tsx'

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const { value, error, reload } = useLoad((signal) => readSources(slug, signal), [slug], 10_000)
  const runs = useLoad(
    (signal) => (may('sync_read') ? readRuns(slug, 1, signal) : Promise.resolve(null)),
    [slug],
    10_000,
  )
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  const mayAdd = may('sources_create')
  const last = runs.value?.results ?? []
  // Sources that need attention first.
  const sources = value.toSorted((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'))
  return (
    <section>
      <Head title="Sources" about="Where the pages come from. A sync reads them all.">
        {value.length > 0 && <StartSync slug={slug} runs={last} />}
        {mayAdd && (
          <a class="button primary" href={projectHref(slug, 'sources/new')}>
            Add a source
          </a>
        )}
      </Head>
      {error && <Failure error={error} onRetry={reload} />}
      {mayAdd && <Upload slug={slug} whenAdded={reload} />}
      {value.length === 0 ? (
        <Empty title="The project has no sources">
          <p>
            {mayAdd
              ? 'Add the address of a documentation site, or drop files above. Then start a sync.'
              : 'A key with the permission sources_create can add one.'}
          </p>
        </Empty>
      ) : (
        <ul class="sources">
          {sources.map((source) => (
            <SourceCard
              key={source.uuid}
              slug={slug}
              source={source}
              run={last[0]?.uuid ?? null}
              whenDeleted={reload}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

interface CardProps {
  slug: string
  source: Source
  /** The last run of the project. */
  run: string | null
  whenDeleted(): void
}

function SourceCard({ slug, source, run, whenDeleted }: CardProps) {
  const { uuid, name, type, url, state, last_error, last_crawled_at, page_count } = source
  async function remove() {
    await api.delete(projectPath(slug, `sources/${uuid}/`))
    say(`${name} was deleted.`)
    whenDeleted()
  }
  return (
    <li class="card">
      <div class="head">
        <div>
          <h2>{name}</h2>
          {url && url !== name && (
            <p class="path">
              <Outside url={url} />
            </p>
          )}
        </div>
        <div class="row">
          {may('sources_create') && (
            <a class="button" href={projectHref(slug, `sources/${uuid}`)}>
              Edit and test
            </a>
          )}
          {may('sources_delete') && (
            <ConfirmButton label="Delete" title={`Delete ${name}?`} onConfirm={remove}>
              <p>
                {formatCount(page_count, 'page')} that no other source lists disappear from search at once. An
                uploaded file is deleted with it.
              </p>
            </ConfirmButton>
          )}
        </div>
      </div>
      {last_error && (
        <div class="notice bad">
          <p>{last_error}</p>
          {run && (
            <a href={projectHref(slug, `runs/${run}`, { source_uuid: uuid })}>Its events in the last run</a>
          )}
        </div>
      )}
      <dl class="facts">
        <Fact name="Type">{sourceTypes[type].title}</Fact>
        <Fact name="State">
          <State name={state === 'pending' ? 'not read yet' : state} />
        </Fact>
        <Fact name="Pages">
          {page_count > 0 ? (
            <a href={projectHref(slug, 'pages', { source_uuid: uuid })}>{formatCount(page_count, 'page')}</a>
          ) : (
            'none'
          )}
        </Fact>
        <Fact name="Last read">
          <When at={last_crawled_at} />
        </Fact>
        {describeRules(source).map(([label, text]) => (
          <Fact key={label} name={label}>
            {text}
          </Fact>
        ))}
      </dl>
    </li>
  )
}

function describeRules({ include = [], exclude = [], max_pages, max_depth, branch, space_key }: Source) {
  const rules: [string, string][] = []
  if (include.length > 0) rules.push(['Include', include.join(' ')])
  if (exclude.length > 0) rules.push(['Exclude', exclude.join(' ')])
  if (max_pages != null) rules.push(['Page limit', String(max_pages)])
  if (max_depth != null) rules.push(['Depth limit', String(max_depth)])
  if (branch) rules.push(['Branch', branch])
  if (space_key) rules.push(['Space', space_key])
  return rules
}
