// The demo page: ties the field, the list, the filters and the notices to the REST API,
// and the search to the chat.
import { createAccessKey } from './access-key.js'
import { ApiFailure, createApiCall } from './api-call.js'
import { createAskRow } from './ask-row.js'
import { createChat } from './chat.js'
import { createFilters } from './filters.js'
import { listenToKeys } from './keyboard.js'
import { createLatest } from './latest-search.js'
import { createNotice } from './notice.js'
import { apiBaseOf, createAddressWriter, readQuestion, slugOf } from './page-address.js'
import { createResultList } from './result-list.js'
import { createSearchApi } from './search-api.js'
import {
  appendResults,
  countResults,
  countSentence,
  createState,
  groupByPage,
  limits,
} from './search-state.js'

const byId = (id) => document.getElementById(id)
const input = byId('query')
const slug = slugOf(location)
const accessKey = createAccessKey(slug, sessionStorage)
const call = createApiCall({
  base: apiBaseOf(location),
  readKey: accessKey.read,
  fetch: (...request) => fetch(...request),
})
const api = createSearchApi({ call })
const writeAddress = createAddressWriter({ location, history, now: () => performance.now() })
const askLatest = createLatest((question, signal) =>
  question.query === '' ? [] : api.search(question, signal),
)

const list = createResultList({
  list: byId('results'),
  input,
  opened: ({ url, position }) => api.reportClick({ query: state.answered, url, position }),
})
const filters = createFilters({
  box: byId('filters'),
  chosen: (filter) => ask({ query: state.query, filter }),
})
const chat = createChat({
  ...{ slug, call, location, storage: sessionStorage, readKey: accessKey.read },
  shown: (isOpen) => isOpen || input.focus(),
})
const askRow = createAskRow({ row: byId('ask'), label: byId('ask-label'), actions: chat })
const notice = createNotice({
  notice: byId('notice'),
  slug,
  readKey: accessKey.read,
  actions: {
    again: start,
    ask: chat.ask,
    anyFilter: () => ask({ query: state.query, filter: '' }),
    giveKey(text) {
      accessKey.write(text)
      start()
    },
  },
})
const { state, change } = createState(render)

/** Enter was pressed before the answer was there: its first result is opened when it comes. */
let openWhenAnswered = false

/** Searches, or goes back to the start for an empty query. */
async function ask(question) {
  openWhenAnswered = false
  const query = question.query.trim()
  change({ query: question.query, filter: question.filter, active: -1 })
  writeAddress({ query, filter: question.filter })
  try {
    if (query !== '') change({ phase: 'searching' })
    const results = await askLatest({ query, filter: question.filter, limit: limits.first })
    if (results === null) return
    change({
      phase: query === '' ? 'idle' : 'done',
      groups: groupByPage(results),
      answered: query,
      failure: null,
    })
    if (openWhenAnswered) list.open(0)
    watchEnd()
  } catch (failure) {
    fail(failure)
  }
}

/** Loads more when the reader comes near the end of the list. Observing anew reports the end of a short list, too. */
function watchEnd() {
  endOfList.disconnect()
  endOfList.observe(byId('end'))
}

const endOfList = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && loadMore(), {
  rootMargin: '0px 0px 300px',
})

/** A failure leaves the results as they are; scrolling tries again. */
async function loadMore() {
  const { groups, answered, filter, phase } = state
  if (phase !== 'done' || countResults(groups) !== limits.first) return
  const results = await askLatest({ query: answered, filter, limit: limits.max }).catch(() => null)
  if (results !== null && state.groups === groups) change({ groups: appendResults(groups, results) })
}

/** Reads the project, and answers what the reader typed already or what the address asks. */
async function start() {
  input.focus()
  await Promise.all([readProject(), ask(state.query === '' ? readQuestion(location) : state)])
}

async function readProject() {
  try {
    const project = await api.project()
    change({ project })
    watchEmbedding(project)
  } catch (failure) {
    // A key that may search need not be one that reads the project's settings.
    const isSearchKey = failure.kind === 'permission' && accessKey.read() !== null
    if (!isSearchKey) fail(failure)
  }
}

/** Reads the share again while sections wait to be embedded. Without an answer, the last share stays. */
function watchEmbedding({ embedding }) {
  if (!embedding) return
  const show = (project) => {
    change({ project })
    watchEmbedding(project)
  }
  setTimeout(() => api.project().then(show, () => {}), 15_000)
}

function fail(failure) {
  if (!(failure instanceof ApiFailure)) throw failure
  change({ phase: 'failed', groups: failure.kind === 'away' ? state.groups : [], active: -1, failure })
}

function render(now) {
  const { query, phase, groups, project } = now
  if (input.value !== query) input.value = query
  document.title = query.trim() ? `${query.trim()} · ${nameOf(project)}` : nameOf(project)
  byId('project').textContent = nameOf(project)
  byId('mark').hidden = project?.whitelabel === true
  byId('clear').hidden = query === ''
  byId('reach').hidden = query !== ''
  byId('form').setAttribute('aria-busy', String(phase === 'searching'))
  byId('keys').hidden = groups.length === 0
  if (phase !== 'searching') byId('count').textContent = countSentence(groups)
  askRow.render(now)
  chat.setProject(project)
  filters.render(now)
  notice.render(now)
  list.render(now)
}

function nameOf(project) {
  return project?.name ?? slug
}

input.addEventListener('input', () => ask({ query: input.value, filter: state.filter }))
byId('form').addEventListener('submit', (event) => event.preventDefault())
byId('clear').addEventListener('click', () => {
  ask({ query: '', filter: state.filter })
  input.focus()
})
window.addEventListener('popstate', () => ask(readQuestion(location)))
// A search that is under way may have begun without a network: it is asked again too.
window.addEventListener('online', () => ['failed', 'searching'].includes(state.phase) && start())
listenToKeys({
  input,
  choice: () => ({ active: state.active, count: countResults(state.groups) }),
  actions: {
    choose(active) {
      change({ active })
      list.show(active)
    },
    open() {
      if (state.phase === 'searching') openWhenAnswered = true
      else list.open(Math.max(0, state.active))
    },
    ask: () => byId('ask').click(),
    reveal: () => input.checkVisibility() || chat.close(),
    openAside: () => list.openAside(Math.max(0, state.active)),
    clear: () => ask({ query: '', filter: state.filter }),
  },
})
start()
chat.restore()
