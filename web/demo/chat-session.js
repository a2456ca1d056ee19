// The conversation: what is asked, what comes, what goes on. No page and no network of its own. Nothing is ever sent
// again by itself: after a loss the person chooses, and only once there is a connection.
import { createConnection } from './chat-connection.js'
import { breakOff, createTurn, takeFrame } from './turn.js'

const lost = 'The connection was lost.'
const blocked = 'Too many messages came from your network. Try again in an hour.'
/** Reasons why a chat takes no more questions. */
const ended = {
  not_found: 'This conversation is no longer kept. Ask again to begin a new one.',
  chat_full: 'This conversation holds 200 questions, which is the limit. Ask again to begin a new one.',
}

/** Close code of a network that is blocked: trying again and again would be of no use. */
const blockedCode = 4429

/**
 * `api`: chat-api.js. `memory`: chat-memory.js. `open()` makes the project's WebSocket. `about()` gives what goes with
 * every message: `{url, apiKey}`. `changed(state)` hears of every change.
 */
export function createChatSession({ api, memory, slug, open, about, newId, changed }) {
  const state = {
    /** Oldest first; turn.js. */
    turns: [],
    /** Of the socket: see chat-connection.js. */
    connection: 'closed',
    /** Whether the conversation of before is being read. */
    restoring: false,
    thinks: false,
  }
  let chat = memory.read()
  let continuation = null

  const connection = createConnection({
    open,
    heard: {
      frame: hear,
      lost(code) {
        endLast(code === blockedCode ? blocked : lost)
        if (code !== blockedCode && state.turns.at(-1)?.retryable) connection.recover()
      },
      state: (name) => change({ connection: name }),
    },
  })

  function change(patch) {
    Object.assign(state, patch)
    changed(state)
  }

  function replace(before, after) {
    if (before !== after) change({ turns: state.turns.map((turn) => (turn === before ? after : turn)) })
  }

  function update(turn, patch) {
    const now = state.turns.find(({ requestId }) => requestId === turn.requestId)
    if (now) replace(now, { ...now, ...patch })
  }

  function hear(frame) {
    const turn = state.turns.at(-1)
    if (!turn) return
    const next = takeFrame(turn, frame)
    if (next.chatId && next.restoreToken) keep({ chatId: next.chatId, restoreToken: next.restoreToken })
    const notice = chat !== null && next !== turn && ended[next.stopReason]
    if (notice) keep(null)
    replace(turn, notice ? { ...next, notice, retryable: true } : next)
  }

  function keep(next) {
    chat = next
    if (next) memory.write(next)
    else memory.forget()
  }

  function endLast(notice) {
    const turn = state.turns.at(-1)
    if (turn) replace(turn, breakOff(turn, notice, true))
  }

  const isRunning = () => state.turns.at(-1)?.phase === 'running'

  async function ask(text) {
    const question = text.trim()
    if (question === '' || isRunning()) return
    const turn = createTurn(question, newId())
    change({ turns: [...state.turns, turn] })
    try {
      await connection.connect()
    } catch {
      if (state.turns.at(-1) !== turn) return
      endLast('There is no connection to the server.')
      return connection.recover()
    }
    // Stopped while the connection was being made.
    if (state.turns.at(-1) !== turn || turn.phase !== 'running') return
    connection.send(toMessage(turn))
  }

  function toMessage({ question, requestId }) {
    const { url, apiKey } = about()
    return {
      message: question,
      projectId: slug,
      from: 'user',
      url,
      metadata: 'demo',
      thinkMode: state.thinks,
      capabilities: ['activity.v1'],
      requestId,
      ...(apiKey && { apiKey }),
      ...(chat ?? {}),
    }
  }

  return {
    state,
    ask,

    /** Hanging up is how a reader says that it is enough; what has come stays. */
    stop() {
      continuation?.abort()
      const turn = state.turns.at(-1)
      if (turn?.phase !== 'running') return
      connection.close()
      replace(turn, breakOff(turn, 'You stopped the answer.', true))
    },

    /** Asks again. A draft stays where it is; a turn without one makes room. */
    retry(turn) {
      if (isRunning() || !canSend(state)) return
      if (turn.text === '') change({ turns: state.turns.filter((each) => each !== turn) })
      else update(turn, { retryable: false })
      return ask(turn.question)
    },

    async goOn(turn) {
      if (!chat || turn.continuing) return
      continuation = new AbortController()
      update(turn, { continuing: true, notice: null })
      try {
        const rest = await api.goOn(chat, turn.messageId, continuation.signal)
        update(turn, { ...rest, continuing: false })
      } catch (failure) {
        const notice = continuation.signal.aborted ? null : `The rest did not come: ${failure.message}`
        update(turn, { continuing: false, notice })
      }
    },

    async react(turn, reaction) {
      const before = turn.feedback
      update(turn, { feedback: reaction })
      try {
        await api.react(chat, turn.messageId, reaction)
      } catch {
        update(turn, { feedback: before, notice: 'Your opinion did not reach the server.' })
      }
    },

    /** Begins another conversation; the old one stays on the server. */
    startAnew() {
      connection.close()
      continuation?.abort()
      keep(null)
      change({ turns: [] })
    },

    /** Reads the conversation that this tab was in. Answers whether there is one. */
    async restore() {
      if (!chat) return false
      change({ restoring: true })
      try {
        const turns = (await api.conversation(chat)).map(toTurn)
        // What was asked meanwhile comes after it.
        change({ turns: [...turns, ...state.turns], restoring: false })
      } catch (failure) {
        if (failure.kind === 'unknown') keep(null)
        change({ restoring: false })
      }
      return state.turns.length > 0
    },

    setThinks: (thinks) => change({ thinks }),
    wentOffline: () => connection.drop(),
    wentOnline: () => state.turns.at(-1)?.retryable && connection.connect().catch(() => connection.recover()),
  }
}

/** Whether something can be asked: not while a lost connection is being made again. */
export function canSend({ connection }) {
  return connection === 'open' || connection === 'closed'
}

/** A turn as it was kept by the server. */
function toTurn({ question, requestId, answered, ...answer }) {
  const isWhole = answered && !['error', 'interrupted', 'disconnected'].includes(answer.stopReason)
  return {
    ...createTurn(question, requestId),
    ...answer,
    phase: isWhole ? 'done' : 'broken',
    canContinue: answer.incomplete === true && answer.stopReason === 'length',
    notice: isWhole ? null : answered ? 'The answer was interrupted.' : 'This question was not answered.',
    retryable: !isWhole,
  }
}
