// C5: search and assistant as readers see them, with the evidence of each result and answer.
import { useEffect, useRef, useState } from 'preact/hooks'
import { createResultList } from '../../components/result-list.ts'
import { createSearch } from '../../components/search.ts'
import { createTexts } from '../../components/texts.ts'
import { projectHref, type ScreenProps } from '../address.ts'
import type { ApiError } from '../api.ts'
import { type Answer, ask } from '../chats.ts'
import { useLoad } from '../load.ts'
import { FilterChoice, FilterText, useFilters } from '../parts/filters.tsx'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { AnswerText, describeMeaning, TraceView } from '../parts/trace.tsx'
import { formatCount } from '../parts/values.tsx'
import type { ExplainedSearch } from '../reader-rows.ts'
import type { Project } from '../rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'

const scopes = [['all', 'pages and uploaded files']] as const

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const filters = useFilters('q', 'filter', 'scope', 'version', 'language')
  const { q, filter, scope, version, language } = filters
  const project = useLoad((signal) => api.get<Project>(projectPath(slug), {}, signal), [slug])
  const titles = project.value?.config.search.filters.map(({ title }) => [title, title] as const) ?? []
  const asked = { version: version || null, language: language || null }
  return (
    <section>
      <Head
        title="Search and ask"
        about="Results and answers as readers see them, and why. Searches here are not counted. Questions are stored with the tag “console”."
      />
      <div class="filters">
        <FilterText name="q" label="Query or question" value={q} />
        {titles.length > 0 && <FilterChoice name="filter" label="Filter" value={filter} options={titles} />}
        <FilterChoice name="scope" label="Scope" value={scope} options={scopes} all="pages" />
        <FilterText name="version" label="Version" value={version} isShort />
        <FilterText name="language" label="Language" value={language} isShort />
      </div>
      {q.trim() === '' ? (
        <Empty title="Type what a reader would type">
          <p>A name is searched by its words, a question also by its meaning.</p>
        </Empty>
      ) : (
        <div class="halves">
          <Search slug={slug} query={{ q, filter_title: filter, content_scope: scope, ...asked }} />
          <Ask key={JSON.stringify([q, asked])} slug={slug} message={q} {...asked} />
        </div>
      )}
    </section>
  )
}

type Found = ExplainedSearch['results'][number]

/** The widget's list of results, with the reason for each. */
function Search({ slug, query }: { slug: string; query: Record<string, string | null> }) {
  const { value, error, reload } = useLoad(
    (signal) => api.get<ExplainedSearch>(projectPath(slug, 'search/explain/'), { ...query, limit }, signal),
    [slug, JSON.stringify(query)],
  )
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (value === null) return
    const search = createSearch({ api: { search: async () => value.results } })
    const list = createResultList({
      search,
      texts,
      onOpen: openApart,
      describe: (found) => describe(found as never),
    })
    const stop = search.state.subscribe((state) => {
      list.update(state)
      // In the widget, they are reached from its field.
      for (const link of list.element.querySelectorAll<HTMLElement>('[role=option]')) link.tabIndex = 0
    })
    box.current!.replaceChildren(list.element)
    void search.ask(query.q!)
    return () => {
      stop()
      list.destroy?.()
    }
  }, [value])
  if (error) return <Failure error={error} onRetry={reload} />
  if (value === null) return <Waiting />
  const { words, meaning, results } = value
  return (
    <div class="card">
      <h2>Search</h2>
      <p class="quiet" role="status">
        {formatCount(results.length, 'result')}, {describeMeaning(meaning)}. Words:{' '}
        {words.join(', ') || 'none'}.
      </p>
      {results.length === 0 && <p>Nothing is found. Readers see how to search otherwise, and may ask.</p>}
      <div ref={box} />
    </div>
  )
}

/** The number that readers see at first. */
const limit = 10
const texts = createTexts()

function openApart({ url }: { url: string }, event: MouseEvent) {
  event.preventDefault()
  window.open(url, '_blank', 'noopener')
}

function describe({ score, similarity, matched }: Found): string {
  const near = similarity === null ? '' : ` · similarity ${similarity.toFixed(3)}`
  return `score ${score.toFixed(3)}${near} · ${matched.length > 0 ? `matched ${matched.join(', ')}` : 'no word matched'}`
}

interface AskProps {
  slug: string
  message: string
  version: string | null
  language: string | null
}

function Ask({ slug, message, version, language }: AskProps) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [think, setThink] = useState(false)
  if (!may('chats_create')) return null

  async function send() {
    setBusy(true)
    setError(null)
    const question = { message, version, language, think_mode: think }
    await ask(slug, question).then(setAnswer, setError)
    setBusy(false)
  }

  return (
    <div class="card">
      <div class="head">
        <h2>Answer</h2>
        <div class="row">
          <label class="row">
            <input
              type="checkbox"
              checked={think}
              onChange={(event) => setThink(event.currentTarget.checked)}
            />
            Think
          </label>
          <button class="primary" type="button" disabled={isBusy} onClick={() => void send()}>
            {isBusy ? 'Answering…' : 'Ask'}
          </button>
        </div>
      </div>
      {error && <Failure error={error} />}
      {!answer && !error && !isBusy && (
        <p class="quiet">Press Ask to answer the question above. The answer has its sources and its trace.</p>
      )}
      <div role="status">
        {answer && <AnswerText key={answer.message} content={answer.content} sources={answer.sources} />}
      </div>
      {answer?.trace && <TraceView trace={answer.trace} />}
      {answer?.chat && may('chats_read') && (
        <a href={projectHref(slug, `conversations/${answer.chat}`)}>The conversation</a>
      )}
    </div>
  )
}
