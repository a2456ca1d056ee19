// The demo page: search and chat of a project at Lectern's own address, with the components of the widget.
import { createRef, render } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { createApi } from '../components/api.ts'
import { AskPanel } from '../components/ask-panel.tsx'
import { createChatApi } from '../components/chat-api.ts'
import { createChatMemory, createChatSession } from '../components/chat-session.ts'
import { makeFailure } from '../components/failure.ts'
import { createFilters } from '../components/filters.ts'
import { make } from '../components/make.ts'
import { createResultCount, createResultList } from '../components/result-list.ts'
import { createSearch, type SearchPart } from '../components/search.ts'
import { createAskRow, createSearchField, makeKeyHints } from '../components/search-field.ts'
import { createSearchNotice, makeChoices } from '../components/search-notice.ts'
import { createStore, useStore } from '../components/store.ts'
import { createTexts } from '../components/texts.ts'
import { createAddressWriter, readPlace, readQuestion } from './page-address.ts'
import { createProjectReader, describeEmbedding, describeSync } from './project.ts'
import { readSharedChat, ShareLink } from './share.tsx'

const { slug, server } = readPlace(location)

/** The reader's API key for a private project. Stored for this tab only. */
const keyName = `lectern-key:${slug}`
const key = createStore(sessionStorage.getItem(keyName))

const api = createApi({
  server,
  project: slug,
  readKey: () => key.value,
  searchParameters: () => ({ content_scope: 'all' }),
})
const search = createSearch({ api, ...readQuestion(location) })
const { project, failure, read: readProject } = createProjectReader(api, () => key.value !== null)
/** A shared conversation is read-only. */
const shared = readSharedChat(location)
const memory = shared
  ? { read: () => shared, write: () => {} }
  : createChatMemory(`lectern-chat:${slug}`, sessionStorage)
const session = createChatSession({
  api: createChatApi(api.call),
  memory,
  open: () =>
    new WebSocket(new URL(`ws/messages/${encodeURIComponent(slug)}/`, server.replace(/^http/, 'ws'))),
  describe: () => ({
    projectId: slug,
    url: `${location.origin}${location.pathname}`,
    metadata: 'demo',
    ...(key.value !== null && { apiKey: key.value }),
  }),
})

const openName = `lectern-chat:${slug}:open`
const isOpen = createStore(shared !== null || sessionStorage.getItem(openName) === 'yes')
const texts = createTexts()
const question = createRef<HTMLTextAreaElement>()

function showChat(open: boolean) {
  isOpen.value = open
  sessionStorage.setItem(openName, open ? 'yes' : 'no')
}

/** Opens the panel, and asks the question. */
function ask(text: string) {
  if (shared) return location.assign(`${location.pathname}?q=${encodeURIComponent(text)}`)
  showChat(true)
  question.current?.focus()
  void session.ask(text)
}

/** Reads the project, and runs the query that was already typed or is in the address. */
function start() {
  field.input.focus()
  void readProject()
  void search.ask(search.state.value.query)
}

function takeKey(text: string) {
  key.value = text.trim() || null
  if (key.value === null) sessionStorage.removeItem(keyName)
  else sessionStorage.setItem(keyName, key.value)
  start()
}

const field = createSearchField({ search, texts, onAsk: ask, shortcut: '/' })
const list = createResultList({
  search,
  texts,
  onOpen: ({ url, position }) => api.reportClick({ query: search.state.value.answered, url, position }),
})
const notice = createSearchNotice({
  search,
  texts,
  readFailure: () => failure.value,
  describe: (shown) =>
    makeFailure({
      ...{ texts, server, project: slug, failure: shown },
      ...{ hasKey: key.value !== null, onAgain: start, onKey: takeKey },
    }),
  welcome() {
    const { lastSync, suggestedQuestions, embedding } = project.value ?? {}
    const quiet = [
      project.value && describeSync(lastSync ?? null, slug, Date.now()),
      embedding && describeEmbedding(embedding),
    ]
    return [
      make('p', {}, 'Type words, a question, or the name of a function or setting.'),
      ...makeChoices(suggestedQuestions ?? [], texts.search.suggestions, ask),
      ...quiet.map((text) => (text ? make('p', { class: 'quiet' }, text) : '')),
    ]
  },
})
project.subscribe(notice.redraw)
failure.subscribe(notice.redraw)
const askRow = createAskRow(texts, ask)
const count = createResultCount(texts)
const hints: SearchPart = {
  element: makeKeyHints(texts, true),
  update({ groups }) {
    hints.element.hidden = groups.length === 0
  },
}

const noFilters: string[] = []

/** Wraps a part of the search in a component. */
function Place({ part }: { part: SearchPart }) {
  const box = useRef<HTMLDivElement>(null)
  const state = useStore(search.state)
  useLayoutEffect(() => box.current!.append(part.element), [part])
  useLayoutEffect(() => part.update(state), [part, state])
  return <div class="place" ref={box} />
}

function Demo() {
  const now = useStore(project)
  const isChatting = useStore(isOpen)
  const hasTurns = useStore(session.state).turns.some(({ phase }) => phase === 'done')
  const {
    name = slug,
    filters = noFilters,
    suggestedQuestions = [],
    actions = [],
    initialMessage = null,
  } = now ?? {}
  const chips = useMemo(() => (filters.length > 0 ? createFilters(search, texts, filters) : null), [filters])
  // The panel takes the focus when it opens, and returns it to the search.
  useLayoutEffect(() => {
    if (isChatting) question.current?.focus()
    else field.input.focus()
  }, [isChatting])

  return (
    <div class={`app${isChatting ? ' chatting' : ''}${shared ? ' shared' : ''}`}>
      <header class="top">
        <h1 id="project" dir="auto">
          {name}
        </h1>
        <p class="mark" id="mark" hidden={now?.whitelabel === true}>
          searched with <a href="../../manual/">Lectern</a>
        </p>
      </header>

      <main class="columns">
        <section class="search" aria-labelledby="project">
          <Place part={field} />
          <Place part={askRow} />
          {chips && <Place part={chips} />}
          <Place part={count} />
          <Place part={list} />
          <Place part={notice} />
        </section>

        <AskPanel
          session={session}
          name={name}
          initialMessage={initialMessage}
          suggestedQuestions={suggestedQuestions}
          actions={actions}
          questionRef={question}
          isHidden={!isChatting}
          onClose={() => showChat(false)}
        >
          {shared ? (
            <p class="share">
              You are reading a shared conversation.{' '}
              <a href={location.pathname}>Ask a question of your own</a>
            </p>
          ) : (
            hasTurns && <ShareLink call={api.call} readChat={memory.read} />
          )}
        </AskPanel>
      </main>

      <Place part={hints} />
    </div>
  )
}

const writeAddress = createAddressWriter({ location, history, now: () => performance.now() })
function describePage() {
  const { query, filter } = search.state.value
  const name = project.value?.name ?? slug
  document.title = query.trim() ? `${query.trim()} · ${name}` : name
  writeAddress({ query: query.trim(), filter })
}
search.state.subscribe(describePage)
project.subscribe(describePage)

const endFirst = project.subscribe((first) => {
  endFirst()
  session.setThinks(first?.thinkMode === true)
})

window.addEventListener('popstate', () => {
  const { query, filter } = readQuestion(location)
  void search.ask(query, filter)
})
window.addEventListener('hashchange', () => location.reload())
window.addEventListener('offline', session.wentOffline)
window.addEventListener('online', () => {
  session.wentOnline()
  // A pending search may have started without a network, so it is repeated, too.
  if (['failed', 'searching'].includes(search.state.value.phase)) start()
})
// `/` and Ctrl+K focus the field from anywhere.
document.addEventListener('keydown', (event) => {
  if (!reachesField(event)) return
  event.preventDefault()
  if (!field.input.checkVisibility()) showChat(false)
  field.input.focus()
  field.input.select()
})

function reachesField(event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) return true
  const { target } = event
  const isTyping =
    target instanceof Element &&
    target.closest('input:not([type=radio]), textarea, select, [contenteditable]')
  return event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
}

render(<Demo />, document.body)
start()
void session.restore()
