// The chat of the demo page: ties the conversation to its panel and to the page round it.
import { createChatApi } from './chat-api.js'
import { createChatMemory } from './chat-memory.js'
import { createChatPanel } from './chat-panel.js'
import { createChatSession } from './chat-session.js'
import { createMarkdown } from './markdown.js'
import { Marked } from './marked.js'
import { socketAddressOf } from './page-address.js'

const byId = (id) => document.getElementById(id)

/** `call`: api-call.js. `shown(isOpen)` hears when the panel opens or closes. */
export function createChat({ slug, call, readKey, location, storage, shown }) {
  const memory = createChatMemory(slug, storage)
  const parts = {
    panel: byId('chat'),
    log: byId('chat-log'),
    welcome: byId('chat-welcome'),
    turns: byId('chat-turns'),
    composer: byId('composer'),
    question: byId('question'),
    think: byId('think'),
    send: byId('send'),
    stop: byId('stop'),
    status: byId('chat-status'),
    anew: byId('chat-new'),
  }
  let project = null
  let willRender = false

  const session = createChatSession({
    api: createChatApi({ call }),
    memory,
    slug,
    open: () => new WebSocket(socketAddressOf(location)),
    about: () => ({ url: `${location.origin}${location.pathname}`, apiKey: readKey() }),
    newId: () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`,
    changed: renderSoon,
  })
  const panel = createChatPanel({
    parts,
    createReader: createMarkdown(Marked),
    actions: { ...session, ask },
  })

  /** Tokens come faster than a screen draws. */
  function renderSoon() {
    if (willRender) return
    willRender = true
    requestAnimationFrame(() => {
      willRender = false
      panel.render(session.state, project)
    })
  }

  function show(isOpen) {
    parts.panel.hidden = !isOpen
    document.body.classList.toggle('chatting', isOpen)
    memory.writeOpen(isOpen)
    shown(isOpen)
  }

  function open() {
    show(true)
    parts.question.focus()
  }

  function ask(text) {
    open()
    session.ask(text)
  }

  function close() {
    show(false)
  }

  byId('chat-close').addEventListener('click', close)
  parts.anew.addEventListener('click', () => {
    session.startAnew()
    parts.question.focus()
  })
  window.addEventListener('offline', session.wentOffline)
  window.addEventListener('online', session.wentOnline)

  return {
    open,
    close,
    isOpen: () => !parts.panel.hidden,
    ask,
    /** Reads the conversation of before; opens the panel where it was open. */
    async restore() {
      if (memory.readOpen()) show(true)
      await session.restore()
    },
    setProject(next) {
      if (project === next) return
      if (project === null) session.setThinks(next?.config?.chat?.think_mode === true)
      project = next
      renderSoon()
    },
  }
}
