// The state of a conversation. The first question opens the socket. Nothing is resent automatically: after a loss, the
// reader decides, and only when there is a connection.
import { ApiFailure } from './api.ts'
import type { Chat, ChatApi } from './chat-api.ts'
import { type ConnectionState, createConnection } from './chat-connection.ts'
import { createStore, type ReadonlyStore } from './store.ts'
import { breakOff, createTurn, type Notice, type NoticeCode, type Turn, takeFrame } from './turn.ts'

/** Stop reasons of a chat that accepts no more questions. */
const endedChats: Record<string, NoticeCode> = { not_found: 'chatGone', chat_full: 'chatFull' }

/** Close code for a blocked network. Retrying is useless. */
const blockedCode = 4429

export interface ChatState {
  /** Oldest first. */
  turns: Turn[]
  connection: ConnectionState
  /** Whether the earlier conversation is being loaded. */
  restoring: boolean
  thinks: boolean
}

export interface ChatSession {
  state: ReadonlyStore<ChatState>
  ask(question: string): Promise<void>
  /** Stops the answer by closing the socket. Keeps the received text. */
  stop(): void
  /** Asks again. Removes the failed turn unless it has a draft. */
  retry(turn: Turn): void
  /** Fetches the rest of an answer that was cut at the length limit. */
  goOn(turn: Turn): Promise<void>
  react(turn: Turn, reaction: 0 | 1, comment?: string): Promise<void>
  /** Starts a new conversation. The old one stays on the server. */
  startAnew(): void
  /** Loads the earlier conversation. */
  restore(): Promise<void>
  setThinks(thinks: boolean): void
  wentOffline(): void
  wentOnline(): void
  /** Closes the socket permanently. */
  close(): void
}

export interface ChatMemory {
  read(): Chat | null
  /** Null: forgets it. */
  write(chat: Chat | null): void
}

export interface ChatSessionOptions {
  api: ChatApi
  memory: ChatMemory
  /** Opens the project's WebSocket. */
  open(): WebSocket
  /** Fields of every message: `projectId`, `url`, `metadata`, `apiKey`, `language`, … */
  describe(): Record<string, unknown>
  /** Delays rendering of tokens to the next frame, because tokens arrive faster. */
  defer?(show: () => void): void
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { api, memory, open, describe, defer = requestAnimationFrame } = options
  const shown = createStore<ChatState>({ turns: [], connection: 'closed', restoring: false, thinks: false })
  let state = shown.value
  let chat = memory.read()
  let continuation: AbortController | null = null
  let willShow = false

  const connection = createConnection({
    open,
    onFrame: hear,
    onLost(code) {
      endLast({ code: code === blockedCode ? 'blocked' : 'lost' })
      if (code !== blockedCode && state.turns.at(-1)?.retryable) connection.recover()
    },
    onState: (name) => change({ connection: name }),
  })

  function change(patch: Partial<ChatState>) {
    state = { ...state, ...patch }
    shown.value = state
  }

  function replace(before: Turn, after: Turn) {
    if (before !== after) change({ turns: state.turns.map((turn) => (turn === before ? after : turn)) })
  }

  function update({ requestId }: Turn, patch: Partial<Turn>) {
    const now = state.turns.find((turn) => turn.requestId === requestId)
    if (now) replace(now, { ...now, ...patch })
  }

  function hear(frame: unknown) {
    const turn = state.turns.at(-1)
    if (!turn) return
    const next = takeFrame(turn, frame)
    if (next === turn) return
    const { chatId, restoreToken, stopReason, phase } = next
    if (chatId && restoreToken && restoreToken !== turn.restoreToken) keep({ chatId, restoreToken })
    const code = chat === null ? undefined : endedChats[stopReason ?? '']
    if (code) keep(null)
    if (phase === 'running') showSoon(turn, next)
    else replace(turn, code ? { ...next, notice: { code }, retryable: true } : next)
  }

  function showSoon(before: Turn, after: Turn) {
    state = { ...state, turns: state.turns.map((turn) => (turn === before ? after : turn)) }
    if (willShow) return
    willShow = true
    defer(() => {
      willShow = false
      shown.value = state
    })
  }

  function keep(next: Chat | null) {
    chat = next
    memory.write(next)
  }

  function endLast(notice: Notice) {
    const turn = state.turns.at(-1)
    if (turn) replace(turn, breakOff(turn, notice, true))
  }

  const isRunning = () => state.turns.at(-1)?.phase === 'running'

  async function ask(text: string) {
    const question = text.trim()
    if (question === '' || isRunning()) return
    const turn = createTurn(question, createId())
    change({ turns: [...state.turns, turn] })
    try {
      await connection.connect()
    } catch {
      if (state.turns.at(-1) !== turn) return
      endLast({ code: 'noConnection' })
      return connection.recover()
    }
    // Stopped while the connection was being made.
    if (state.turns.at(-1) !== turn || turn.phase !== 'running') return
    connection.send({
      ...describe(),
      message: question,
      from: 'user',
      thinkMode: state.thinks,
      capabilities: ['activity.v1'],
      requestId: turn.requestId,
      ...chat,
    })
  }

  return {
    state: shown,
    ask,

    stop() {
      continuation?.abort()
      const turn = state.turns.at(-1)
      if (turn?.phase !== 'running') return
      connection.close()
      replace(turn, breakOff(turn, { code: 'stopped' }, true))
    },

    retry(turn) {
      if (isRunning() || !canSend(state)) return
      if (turn.text === '')
        change({ turns: state.turns.filter(({ requestId }) => requestId !== turn.requestId) })
      else update(turn, { retryable: false })
      void ask(turn.question)
    },

    async goOn(turn) {
      if (!chat || turn.continuing || turn.messageId === null) return
      const mine = new AbortController()
      continuation = mine
      update(turn, { continuing: true, notice: null })
      try {
        const rest = await api.goOn(chat, turn.messageId, mine.signal)
        update(turn, { ...rest, continuing: false })
      } catch {
        update(turn, { continuing: false, notice: mine.signal.aborted ? null : { code: 'restFailed' } })
      }
    },

    async react(turn, reaction, comment) {
      if (!chat || turn.messageId === null) return
      update(turn, { feedback: reaction, notice: null })
      try {
        await api.react(chat, turn.messageId, reaction, comment)
      } catch {
        update(turn, { feedback: turn.feedback, notice: { code: 'feedbackFailed' } })
      }
    },

    startAnew() {
      connection.close()
      continuation?.abort()
      keep(null)
      change({ turns: [] })
    },

    async restore() {
      if (!chat) return
      change({ restoring: true })
      try {
        const turns = await api.conversation(chat)
        // Questions asked meanwhile follow it.
        change({ turns: [...turns, ...state.turns], restoring: false })
      } catch (failure) {
        if (failure instanceof ApiFailure && failure.kind === 'unknown') keep(null)
        change({ restoring: false })
      }
    },

    setThinks: (thinks) => change({ thinks }),
    wentOffline: () => connection.drop(),
    wentOnline() {
      if (state.turns.at(-1)?.retryable) connection.connect().catch(connection.recover)
    },
    close() {
      continuation?.abort()
      connection.close()
    },
  }
}

/** Whether questions can be sent: not while a lost connection is being reopened. */
export function canSend({ connection }: Pick<ChatState, 'connection'>): boolean {
  return connection === 'open' || connection === 'closed'
}

/** Pages without TLS have no `randomUUID`. */
function createId(): string {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`
}

/** Stores the conversation under this name, such as `lectern-chat:docs`. */
export function createChatMemory(name: string, storage: Storage): ChatMemory {
  return {
    read() {
      try {
        const { chatId, restoreToken } = JSON.parse(storage.getItem(name) ?? '')
        return typeof chatId === 'string' && typeof restoreToken === 'string'
          ? { chatId, restoreToken }
          : null
      } catch {
        return null
      }
    },
    write(chat) {
      // Fails in a sandbox, or if the storage is full. The conversation then ends with the page.
      try {
        if (chat) storage.setItem(name, JSON.stringify(chat))
        else storage.removeItem(name)
      } catch {}
    },
  }
}
