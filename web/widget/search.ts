// The search in the dialog or panel.
import type { ApiFailure } from '../components/api.ts'
import { type Child, make, yieldTask } from '../components/make.ts'
import { createResultCount, createResultList } from '../components/result-list.ts'
import { createSearch, type SearchPart } from '../components/search.ts'
import { createAskRow, createSearchField, makeKeyHints } from '../components/search-field.ts'
import { createSearchNotice, makeChoices } from '../components/search-notice.ts'
import type { RankedResult, SearchState } from '../components/search-state.ts'
import { fill } from '../components/texts.ts'
import { loadContext } from './context.ts'
import type { Host, View } from './host.ts'
import { createRecents, makeRecents } from './recents.ts'
import styles from './search.css'

type Rare = typeof import('./search-rare.ts')

export async function mountSearch(host: Host, body: HTMLElement): Promise<View> {
  const context = await loadContext(host)
  const { api, settings, texts, config } = context
  const { hidden, project, server, filter, placeholder } = settings
  const search = createSearch({ api, filter })
  const recents = createRecents(project, settings.remembers)
  const suggestions = hidden.has('suggestions') ? [] : (settings.suggestions ?? config.suggested_questions)
  const onAsk = hidden.has('ask') ? undefined : (question: string) => host.turnTo('ask', question)
  const onLeave = () => host.close()
  let lastClick = ''
  let rare: Rare | null = null

  /** Null if it cannot be loaded. */
  async function loadRare() {
    rare = await import('./search-rare.ts').catch(() => null)
    if (rare) host.addStyles(rare.styles)
  }

  function describe(failure: ApiFailure): Child[] {
    if (!rare) return [make('h2', {}, host.failed)]
    const onAgain = () => void search.ask(search.state.value.query)
    return rare.makeFailure({ texts, failure, server, project, hasKey: settings.key !== null, onAgain })
  }

  function makeWelcome(): Child[] {
    return [
      ...makeRecents(recents, texts, { onSearch: searchAgain, onForget: notice.redraw }),
      ...(onAsk ? makeChoices(suggestions, texts.search.suggestions, onAsk) : []),
    ]
  }

  function searchAgain(query: string) {
    void search.ask(query)
    field.input.focus()
  }

  function open(result: RankedResult, event: MouseEvent) {
    const { answered } = search.state.value
    const detail = { query: answered, url: result.url, position: result.position }
    if (!host.emit('before-click', detail)) return event.preventDefault()
    host.emit('click', detail)
    // Counts a double click, or Enter and a click, once.
    const click = `${answered}\n${result.url}`
    if (click !== lastClick) api.reportClick(detail)
    lastClick = click
    const { title, page_title: page, url } = result
    recents.add({ query: answered, title: title || page, page, url })
    const staysHere = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (staysHere && host.kind !== 'panel') host.close()
  }

  const filters = hidden.has('filters') ? [] : config.filters.map(({ title }) => title)
  if (filters.length > 0 || context.failure) await loadRare()
  const chips = rare && filters.length > 0 ? [(rare as Rare).createFilters(search, texts, filters)] : []
  const field = createSearchField({ search, texts, onAsk, onLeave, placeholder })
  const askRow = onAsk ? [createAskRow(texts, onAsk)] : []
  const readFailure = () => context.failure
  const notice = createSearchNotice({ search, texts, readFailure, describe, welcome: makeWelcome })
  const list = createResultList({ search, texts, onOpen: open })
  const found = [...askRow, notice, createResultCount(texts), list]
  const parts: SearchPart[] = [field, ...chips, ...found]

  const report = createReporter(host)
  const stopFollowing = search.state.subscribe((state) => {
    report(state)
    for (const part of parts) part.update(state)
    if (state.failure && !rare) void loadRare().then(notice.redraw)
  })
  const goOn = () => {
    const { failure, query } = search.state.value
    if (failure?.kind === 'offline') void search.ask(query)
  }
  addEventListener('online', goOn)

  for (const part of parts) part.update(search.state.value)
  const leave = { type: 'button', class: 'plain', click: onLeave }
  const view = make(
    'div',
    { class: 'search' },
    make(
      'div',
      { class: 'bar' },
      field.element,
      ...(host.kind === 'panel' ? [] : [make('button', leave, texts.search.close)]),
    ),
    ...chips.map(({ element }) => element),
    make('div', { class: 'found' }, ...found.map(({ element }) => element)),
    make(
      'div',
      { class: 'foot' },
      makeKeyHints(texts, onAsk !== undefined),
      config.whitelabel
        ? ''
        : make('span', { class: 'powered' }, fill(texts.search.powered, { name: 'Lectern' })),
    ),
  )
  host.addStyles(styles)
  await yieldTask()
  takePlace(host, body, view, field.input)
  body.dataset.hide = [...hidden].join(' ')
  if (field.input.value !== '') void search.ask(field.input.value)
  let wasShown = false

  return {
    show(query, submit) {
      field.input.focus()
      if (query !== '' && query !== search.state.value.query) void search.ask(query)
      // On the next opening, typing replaces the last query. On the first, it continues the text.
      else if (wasShown) field.input.select()
      wasShown = true
      if (submit) search.openFirst()
    },
    destroy() {
      removeEventListener('online', goOn)
      stopFollowing()
      search.close()
      list.destroy?.()
      view.remove()
    },
  }
}

/** Replaces the waiting field by the view. Keeps its text, selection and focus. */
function takePlace(host: Host, body: HTMLElement, view: HTMLElement, input: HTMLInputElement) {
  const waiting = body.querySelector('input')
  const hadFocus = waiting !== null && host.root.activeElement === waiting
  const { value = '', selectionStart = 0, selectionEnd = 0 } = waiting ?? {}
  body.replaceChildren(view)
  input.value = value
  if (!hadFocus) return
  input.focus()
  input.setSelectionRange(selectionStart, selectionEnd)
}

/** Dispatches events for queries and their results. */
function createReporter(host: Host): (state: SearchState) => void {
  let last = 0
  let answered = ''
  return (state) => {
    const { query, filter, phase, failure, groups } = state
    if (state.asked !== last && phase === 'searching') host.emit('search', { query: query.trim(), filter })
    last = state.asked
    if (phase === 'failed' && failure) host.emit('error', { code: failure.kind, message: failure.message })
    if (state.answered === answered || phase !== 'done') return
    answered = state.answered
    const count = groups.reduce((sum, { results }) => sum + results.length, 0)
    host.emit('results', { query: answered, count })
  }
}
