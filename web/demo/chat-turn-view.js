// A turn of the conversation on the page: question, stages, answer, sources, and what can be done with it.
import { canSend } from './chat-session.js'
import { createStagesView } from './chat-stages.js'
import { make } from './dom.js'
import { outwardLink, webAddress } from './markdown.js'
import { readablePath } from './result-list.js'

const thumbs = [
  { reaction: 1, label: 'Helpful', icon: 'thumb-up' },
  { reaction: 0, label: 'Not helpful', icon: 'thumb-down' },
]

/** `toNodes`: a reader of markdown.js. `actions`: `retry(turn)`, `goOn(turn)`, `react(turn, reaction)`. */
export function createTurnView({ question, toNodes, actions }) {
  const stages = createStagesView()
  const prose = make('div', { class: 'prose' })
  const notice = make('p', { class: 'turn-notice' })
  const sources = make('div', { class: 'sources' })
  const foot = make('div', { class: 'turn-foot' })
  const node = make(
    'article',
    { class: 'turn', 'aria-label': `Answer to: ${question}` },
    make('h3', { class: 'question' }, question),
    stages.node,
    prose,
    notice,
    sources,
    foot,
  )
  let drawn = { text: null, sources: null, foot: '' }

  /** Blocks that are as before stay, with what the reader has marked in them. */
  function renderProse(turn) {
    if (turn.text === drawn.text && turn.sources === drawn.sources) return
    const nodes = toNodes(turn.text, turn.sources)
    const shown = [...prose.children]
    const change = shown.findIndex((old, index) => old !== nodes[index])
    const same = change < 0 ? shown.length : change
    for (const old of shown.slice(same)) old.remove()
    prose.append(...nodes.slice(same))
  }

  function renderSources(turn) {
    if (turn.sources === drawn.sources) return
    sources.hidden = turn.sources.length === 0
    sources.replaceChildren(
      make('h4', {}, 'Sources'),
      make('ol', {}, ...turn.sources.map((source) => make('li', {}, sourceLink(source)))),
    )
  }

  function renderFoot(turn, { state, project }) {
    const said = JSON.stringify([
      turn.phase,
      turn.feedback,
      turn.canContinue,
      turn.continuing,
      turn.retryable,
      turn.messageId,
      canSend(state),
    ])
    if (said === drawn.foot && project === drawn.project) return
    drawn.foot = said
    drawn.project = project
    const focused =
      document.activeElement?.closest('.turn-foot') === foot && document.activeElement.dataset.name
    foot.replaceChildren(...footNodes(turn, state, project))
    if (focused) foot.querySelector(`[data-name="${focused}"]`)?.focus()
  }

  function footNodes(turn, state, project) {
    if (turn.phase === 'running') return []
    const waits = !canSend(state)
    return [
      ...(turn.canContinue || turn.continuing
        ? [
            button('go-on', turn.continuing ? 'Going on…' : 'Continue', turn.continuing, () =>
              actions.goOn(turn),
            ),
          ]
        : []),
      ...(turn.retryable
        ? [
            button('retry', waits ? 'Waiting for the connection…' : 'Ask again', waits, () =>
              actions.retry(turn),
            ),
          ]
        : []),
      ...(turn.phase === 'done' ? callsToAction(project) : []),
      ...(turn.phase === 'done' && turn.messageId ? [thumbButtons(turn)] : []),
    ]
  }

  function thumbButtons(turn) {
    return make(
      'div',
      { class: 'thumbs', role: 'group', 'aria-label': 'Was this helpful?' },
      ...thumbs.map(({ reaction, label, icon }) => {
        const made = make('button', {
          type: 'button',
          class: `thumb ${icon}`,
          'data-name': icon,
          'aria-label': label,
          title: label,
          'aria-pressed': String(turn.feedback === reaction),
        })
        made.addEventListener('click', () => actions.react(turn, reaction))
        return made
      }),
    )
  }

  return {
    node,
    /** `context`: `{state, project}`. */
    render(turn, context) {
      stages.render(turn)
      renderProse(turn)
      renderSources(turn)
      renderFoot(turn, context)
      node.setAttribute('aria-busy', String(turn.phase === 'running' || turn.continuing))
      prose.classList.toggle('writing', turn.phase === 'running' && turn.text !== '')
      notice.textContent =
        turn.notice ?? (turn.incomplete && !turn.canContinue ? 'The answer is not complete.' : '')
      notice.hidden = notice.textContent === ''
      drawn = { ...drawn, text: turn.text, sources: turn.sources }
    },
  }
}

function sourceLink({ title, url }) {
  const address = webAddress(url)
  const name = title || url
  if (!address) return make('span', { class: 'source' }, make('span', { class: 'source-title' }, name))
  return outwardLink(
    { class: 'source', href: address },
    make('span', { class: 'source-title' }, name),
    make('span', { class: 'path' }, readablePath(address)),
  )
}

function button(name, label, isDisabled, act) {
  const made = make('button', { type: 'button', class: 'action', 'data-name': name }, label)
  // Not `disabled`: the button keeps the focus, and a screen reader its place.
  made.setAttribute('aria-disabled', String(isDisabled))
  made.addEventListener('click', () => made.getAttribute('aria-disabled') === 'false' && act())
  return made
}

/** The project's own buttons, set by its operator. */
function callsToAction(project) {
  return (project?.config?.chat?.actions ?? [])
    .filter(({ url }) => webAddress(url))
    .map(({ name, button_text: text, url }) => outwardLink({ class: 'action', href: url, title: name }, text))
}
