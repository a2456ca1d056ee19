// The search in the dialog or panel, on the components.
import { createRef, type RefObject, render } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from '../components/icons.tsx'
import { ResultCount, ResultList } from '../components/result-list.tsx'
import { createSearch, type Search } from '../components/search.ts'
import { AskRow, Filters, KeyHints, SearchField } from '../components/search-field.tsx'
import { SearchNotice } from '../components/search-notice.tsx'
import type { RankedResult } from '../components/search-state.ts'
import { useStore } from '../components/store.ts'
import { Suggestions } from '../components/suggestions.tsx'
import { fill, TextsContext } from '../components/texts.ts'
import { type Context, loadContext } from './context.ts'
import type { Host, View } from './host.ts'
import { createRecents, RecentList, type Recents } from './recents.tsx'
import styles from './search.css'

export async function mountSearch(host: Host, body: HTMLElement): Promise<View> {
  const context = await loadContext(host)
  const { api, settings, texts } = context
  host.addStyles(styles)
  const search = createSearch({ api, filter: settings.filter })
  const stopReporting = report(host, search)
  const input = createRef<HTMLInputElement>()
  const waiting = body.querySelector('input')
  const { value = '', selectionStart = 0, selectionEnd = 0 } = waiting ?? {}
  const hadFocus = waiting !== null && host.root.activeElement === waiting
  let wasShown = false
  const recents = createRecents(settings.project, settings.remembers)
  body.replaceChildren()
  body.dataset.hide = [...settings.hidden].join(' ')
  render(
    <TextsContext.Provider value={texts}>
      <SearchView host={host} context={context} search={search} input={input} recents={recents} />
    </TextsContext.Provider>,
    body,
  )
  if (value !== '') void search.ask(value)
  if (hadFocus) {
    input.current?.focus()
    if (input.current) input.current.value = value
    input.current?.setSelectionRange(selectionStart, selectionEnd)
  }

  return {
    show(query, submit) {
      input.current?.focus()
      if (query !== '') void search.ask(query)
      // What is being typed goes on; what was typed the last time is replaced by the next letter.
      else if (wasShown) input.current?.select()
      wasShown = true
      if (submit) search.openFirst()
    },
    destroy() {
      stopReporting()
      search.close()
      render(null, body)
    },
  }
}

/** Tells the page what is searched for and what comes of it. */
function report(host: Host, search: Search): () => void {
  let asked = 0
  let answered = ''
  return search.state.subscribe((state) => {
    if (state.asked !== asked && state.phase === 'searching') {
      host.emit('search', { query: state.query.trim(), filter: state.filter })
    }
    asked = state.asked
    if (state.phase === 'failed' && state.failure) {
      host.emit('error', { code: state.failure.kind, message: state.failure.message })
    }
    if (state.answered === answered || state.phase !== 'done') return
    answered = state.answered
    const count = state.groups.reduce((sum, { results }) => sum + results.length, 0)
    host.emit('results', { query: answered, count })
  })
}

interface SearchViewProps {
  host: Host
  context: Context
  search: Search
  input: RefObject<HTMLInputElement | null>
  recents: Recents
}

function SearchView({ host, context, search, input, recents }: SearchViewProps) {
  const { config, settings, texts, api } = context
  const { hidden } = settings
  const { query } = useStore(search.state)
  const onAsk = hidden.has('ask') ? undefined : (question: string) => host.ask(question)
  const last = useRef('')

  function open(result: RankedResult, event: MouseEvent) {
    const { answered } = search.state.value
    const detail = { query: answered, url: result.url, position: result.position }
    if (!host.allows('click', detail)) return event.preventDefault()
    host.emit('click', detail)
    // A double click, or Enter and a click, is one.
    const click = `${answered}\n${result.url}`
    if (click !== last.current) api.reportClick(detail)
    last.current = click
    recents.add({ title: result.title || result.page_title, page: result.page_title, url: result.url })
    const staysHere = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (staysHere && host.kind !== 'panel') host.close()
  }

  return (
    <div class="search">
      <div class="bar">
        <SearchField
          search={search}
          inputRef={input}
          {...(onAsk && { onAsk })}
          onLeave={() => host.close()}
          placeholder={settings.placeholder ?? undefined}
        />
        {host.kind !== 'panel' && (
          <button type="button" class="plain" aria-label={texts.search.close} onClick={() => host.close()}>
            <Icon name="clear" />
          </button>
        )}
      </div>
      {!hidden.has('filters') && (
        <Filters search={search} titles={config.filters.map(({ title }) => title)} />
      )}
      <div class="found">
        {onAsk && <AskRow query={query} onAsk={onAsk} />}
        <SearchNotice
          search={search}
          project={settings.project}
          failure={context.failure}
          hasKey={settings.key !== null}
          onAgain={() => void search.ask(query)}
        >
          <RecentList recents={recents} />
          {onAsk && !hidden.has('suggestions') && (
            <Suggestions questions={settings.suggestions ?? config.suggested_questions} onAsk={onAsk} />
          )}
        </SearchNotice>
        <ResultCount search={search} />
        <ResultList search={search} onOpen={open} />
      </div>
      <div class="foot">
        <KeyHints canAsk={onAsk !== undefined} />
        {!config.whitelabel && <span class="powered">{fill(texts.search.powered, { name: 'Lectern' })}</span>}
      </div>
    </div>
  )
}
