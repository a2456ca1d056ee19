// The panel of the conversation: its turns, the welcome before the first, and the field for the next question.
import { stageNow, stageSentence } from './chat-stages.js'
import { createTurnView } from './chat-turn-view.js'
import { make } from './dom.js'

/** So many pixels a reader may have scrolled without meaning to stay there. */
const slack = 60

/**
 * `parts`: elements by name (chat.js). `actions`: `ask(text)`, `stop()`, `setThinks(on)`, and those of a turn.
 */
export function createChatPanel({ parts, createReader, actions }) {
  const { panel, log, welcome, turns, composer, question, think, send, stop, status } = parts
  /** By the turn's requestId. */
  const views = new Map()
  let welcomed = null
  let said = ''
  let wasRunning = false
  let followedTo = 0

  function renderTurns(state, project) {
    for (const [id, { node }] of views) {
      if (state.turns.some(({ requestId }) => requestId === id)) continue
      node.remove()
      views.delete(id)
    }
    for (const [index, turn] of state.turns.entries()) {
      let view = views.get(turn.requestId)
      if (!view) {
        view = createTurnView({ question: turn.question, toNodes: createReader(), actions })
        views.set(turn.requestId, view)
        turns.insertBefore(view.node, turns.children[index] ?? null)
      }
      view.render(turn, { state, project })
    }
  }

  function renderWelcome({ turns: list, restoring }, project) {
    welcome.hidden = list.length > 0 || restoring
    if (welcomed === project) return
    welcomed = project
    const { initial_message: first, suggested_questions: suggested = [] } = project?.config?.chat ?? {}
    const greeting = first || `Ask a question about ${project?.name ?? 'the documentation'}.`
    welcome.replaceChildren(
      make('div', { class: 'prose' }, ...createReader()(greeting, [])),
      ...suggestionList(suggested, actions.ask),
    )
  }

  /** What a screen reader says: each stage, then the whole answer at once instead of word by word. */
  function announce(turn) {
    const now = turn && stageNow(turn)
    const next = !turn
      ? ''
      : turn.phase === 'running'
        ? now && stageSentence(now)
        : [
            views.get(turn.requestId)?.node.querySelector('.prose').textContent,
            turn.notice,
            sourceCount(turn),
          ]
            .filter(Boolean)
            .join(' ')
    if (next === null || next === said) return
    said = next
    status.textContent = next
  }

  /** What is written comes into view until its question is at the top: an answer is read from its beginning. */
  function follow(turn, isNew, isWriting) {
    const stays = Math.abs(log.scrollTop - followedTo) > slack
    if (!isNew && (stays || !isWriting)) return
    const end = log.scrollHeight - log.clientHeight
    log.scrollTop = Math.min(end, turn.offsetTop - log.offsetTop)
    followedTo = log.scrollTop
  }

  composer.addEventListener('submit', (event) => {
    event.preventDefault()
    if (question.value.trim() === '' || !stop.hidden) return
    actions.ask(question.value)
    question.value = ''
    grow()
  })
  question.addEventListener('input', grow)
  question.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      composer.requestSubmit()
    }
    if (event.key === 'Escape' && !stop.hidden) actions.stop()
  })
  think.addEventListener('change', () => actions.setThinks(think.checked))
  stop.addEventListener('click', () => {
    actions.stop()
    question.focus()
  })

  /** The field grows with what is written, to a few lines. */
  function grow() {
    question.rows = Math.min(5, question.value.split('\n').length + Math.floor(question.value.length / 60))
  }

  return {
    render(state, project) {
      const last = state.turns.at(-1)
      const isNew = last && !views.has(last.requestId)
      renderWelcome(state, project)
      renderTurns(state, project)
      const isRunning = last?.phase === 'running' || state.turns.some(({ continuing }) => continuing)
      stop.hidden = !isRunning
      send.hidden = isRunning
      think.checked = state.thinks
      parts.anew.hidden = state.turns.length === 0
      panel.setAttribute('aria-busy', String(isRunning))
      announce(last)
      if (last) follow(views.get(last.requestId).node, isNew, isRunning || wasRunning)
      wasRunning = isRunning
    },
  }
}

/** Questions to choose from, as buttons; nothing where there are none. */
export function suggestionList(questions, choose) {
  if (questions.length === 0) return []
  const buttons = questions.map((text) => {
    const made = make('button', { type: 'button', class: 'suggestion' }, text)
    made.addEventListener('click', () => choose(text))
    return make('li', {}, made)
  })
  return [make('ul', { class: 'suggestions', 'aria-label': 'Suggested questions' }, ...buttons)]
}

function sourceCount({ sources }) {
  return sources.length === 0 ? '' : `${sources.length} ${sources.length === 1 ? 'source' : 'sources'}.`
}
