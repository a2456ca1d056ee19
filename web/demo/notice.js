// What the page says in place of results: before the first query, when nothing was found, when something went wrong.
import { suggestionList } from './chat-panel.js'
import { make } from './dom.js'

/** Each kind of failure: what happened, and whether to offer another try or a key. */
const failures = {
  offline: {
    title: () => (navigator.onLine ? 'The server does not answer' : 'You are offline'),
    text: () => 'The search goes on by itself as soon as there is a connection.',
    again: true,
  },
  key: {
    title: ({ keyed }) => (keyed ? 'This key is not accepted' : 'This project is private'),
    text: ({ keyed }) =>
      keyed
        ? 'It is unknown, revoked or expired. Give another one.'
        : 'Searching it needs an API key with the permission “search”.',
    key: true,
  },
  permission: {
    title: () => 'This key may not search here',
    text: () => 'It lacks the permission “search”, or it is meant for other projects.',
    key: true,
  },
  unknown: {
    title: ({ slug }) => `There is no project “${slug}” here`,
    text: () =>
      'It may have been renamed or deleted. The address of this page ends in the name of the project.',
  },
  invalid: { title: () => 'This cannot be searched for', text: ({ failure }) => failure.message },
  busy: {
    title: () => 'Too many searches at once',
    text: ({ failure }) =>
      failure.retryAfter
        ? `Wait ${failure.retryAfter} seconds, then try again.`
        : 'Wait a moment, then try again.',
    again: true,
  },
  away: {
    title: () => 'Search is temporarily unavailable.',
    text: () => 'Try again in a moment.',
    again: true,
  },
  server: { title: () => 'The search failed', text: ({ failure }) => failure.message, again: true },
}

/** `actions`: `again()`, `anyFilter()`, `giveKey(text)`, `ask(question)`. */
export function createNotice({ notice, slug, readKey, actions }) {
  let drawn = ''

  function nodesOf(state) {
    if (state.phase === 'failed') return failed(state)
    if (state.phase === 'idle') return welcome(state)
    if (state.phase === 'done' && state.groups.length === 0) return nothing(state)
    return []
  }

  function failed({ failure }) {
    const { title, text, again, key } = failures[failure.kind]
    const facts = { failure, slug, keyed: readKey() !== null }
    return [
      make('h2', {}, title(facts)),
      make('p', {}, text(facts)),
      ...(again ? [button('Try again', actions.again)] : []),
      ...(key ? [keyForm()] : []),
    ]
  }

  function nothing({ answered, filter }) {
    return [
      make('h2', {}, `Nothing found for “${answered}”`),
      make(
        'ul',
        {},
        make('li', {}, 'Try fewer words, or more general ones.'),
        make('li', {}, 'Try the name of a function, option or setting, or its beginning.'),
        make('li', {}, 'The page may be new: it is found after the next sync.'),
      ),
      ...(filter ? [button(`Search outside “${filter}” too`, actions.anyFilter)] : []),
    ]
  }

  function welcome({ project }) {
    const sync = project ? syncSentence(project.last_sync, slug, Date.now()) : null
    return [
      make('p', {}, 'Type words, a question, or the name of a function or setting.'),
      ...suggestionList(project?.config?.chat?.suggested_questions ?? [], actions.ask),
      ...(sync ? [make('p', { class: 'quiet' }, sync)] : []),
      ...(project?.embedding ? [make('p', { class: 'quiet' }, embeddingSentence(project.embedding))] : []),
    ]
  }

  function button(label, action) {
    const made = make('button', { type: 'button', class: 'action' }, label)
    made.addEventListener('click', action)
    return made
  }

  function keyForm() {
    const field = make('input', {
      type: 'password',
      autocomplete: 'off',
      required: '',
      placeholder: 'lec_…',
      'aria-label': 'API key',
    })
    const form = make('form', { class: 'key' }, field, make('button', { class: 'action' }, 'Use this key'))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      actions.giveKey(field.value)
    })
    return make(
      'div',
      {},
      form,
      make('p', { class: 'quiet' }, 'It is kept in this tab only and forgotten when you close it.'),
    )
  }

  return {
    render(state) {
      const { phase, filter, answered, failure, project } = state
      const shown = JSON.stringify([
        phase,
        filter,
        answered,
        failure?.kind,
        failure?.message,
        project?.last_sync,
        project?.embedding,
        project?.config?.chat?.suggested_questions,
      ])
      if (phase === 'searching' || shown === drawn) return
      drawn = shown
      const nodes = nodesOf(state)
      notice.replaceChildren(...nodes)
      notice.hidden = nodes.length === 0
      notice.classList.toggle('trouble', phase === 'failed')
    },
  }
}

/** What is in the index, told by the latest run. */
export function syncSentence(run, slug, now) {
  if (!run) return `Nothing has been read yet. Start with: lectern sync ${slug}`
  if (run.status === 'queued' || run.status === 'running') {
    return 'The pages are being read now; what has been read can be found already.'
  }
  const ended = run.finished_at ? ` ${timeAgo(Date.parse(run.finished_at), now)}` : ''
  const sentences = {
    completed: `Last read${ended}.`,
    failed: `The last sync failed${ended}; what was read before can be found.`,
    cancelled: `The last sync was stopped${ended}; what was read until then can be found.`,
  }
  return sentences[run.status] ?? null
}

/** Shown while sections wait to be embedded: searches find those by words only. */
export function embeddingSentence({ done, total }) {
  const share = Math.floor((100 * done) / total)
  return `${share} % of the sections can be found by meaning so far, the others by words only.`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

function timeAgo(then, now) {
  const [unit, length] = units.find(([, milliseconds]) => now - then >= milliseconds) ?? []
  if (!unit) return 'just now'
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(
    -Math.floor((now - then) / length),
    unit,
  )
}
