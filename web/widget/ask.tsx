// The conversation in the dialog or panel.
import { type ComponentChild, createRef, render } from 'preact'
import { useState } from 'preact/hooks'
import { AskPanel } from '../components/ask-panel.tsx'
import { TextsContext, useAskTexts } from '../components/ask-texts.ts'
import { createChatApi } from '../components/chat-api.ts'
import {
  type ChatMemory,
  type ChatSession,
  createChatMemory,
  createChatSession,
} from '../components/chat-session.ts'
import { yieldTask } from '../components/make.ts'
import { fill } from '../components/texts.ts'
import styles from './ask.css'
import type { Attributes } from './attributes.ts'
import { type Context, loadContext } from './context.ts'
import type { Host, View } from './host.ts'

const nothing: ChatMemory = { read: () => null, write: () => {} }

export async function mountAsk(host: Host, body: HTMLElement): Promise<View> {
  const context = await loadContext(host)
  const { settings, config, texts } = context
  host.addStyles(styles)
  await yieldTask()
  const { greeting, heading, disclaimer } = host.marks
  const session = createSession(context, host.marks)
  const stopReporting = report(host, session)
  const question = createRef<HTMLTextAreaElement>()
  const ask = (text: string) => {
    if (host.emit('before-ask', { question: text })) void session.ask(text)
  }
  body.replaceChildren()
  body.dataset.hide = [...settings.hidden].join(' ')
  render(
    <TextsContext.Provider value={texts}>
      <AskPanel
        session={session}
        name={config.name}
        initialMessage={greeting ?? config.initial_message}
        suggestedQuestions={settings.suggestions ?? config.suggested_questions}
        actions={config.actions}
        questionRef={question}
        onAsk={ask}
        onFeedback={(turn, reaction) => host.emit('feedback', { messageId: turn.messageId, reaction })}
        onCopy={() => host.emit('copy')}
        onSource={({ messageId }, { url, title }) => host.emit('source', { messageId, url, title })}
        title={heading}
        {...(host.kind !== 'ask' && { onBack: () => host.turnTo('search') })}
        {...(host.kind !== 'panel' && { onClose: () => host.close() })}
      >
        <div class="foot">
          {disclaimer}
          {config.mcp_enabled && <EditorLink host={host} context={context} />}
          {!config.whitelabel && (
            <span class="powered">{fill(texts.search.powered, { name: 'Lectern' })}</span>
          )}
        </div>
      </AskPanel>
    </TextsContext.Provider>,
    body,
  )
  void session.restore()
  const offline = () => session.wentOffline()
  const online = () => session.wentOnline()
  addEventListener('offline', offline)
  addEventListener('online', online)
  await yieldTask()

  return {
    show(text, submit) {
      question.current?.focus()
      if (text !== '' && submit) ask(text)
    },
    destroy() {
      removeEventListener('offline', offline)
      removeEventListener('online', online)
      stopReporting()
      session.close()
      render(null, body)
    },
  }
}

/** A link to the settings for the reader's own agent. */
function EditorLink({ host, context: { settings, config } }: { host: Host; context: Context }) {
  const { ask } = useAskTexts()
  const [shown, setShown] = useState<ComponentChild>(null)

  async function show() {
    const { EditorSettings, styles } = await import('./editor.tsx')
    host.addStyles(styles)
    const { server, key } = settings
    setShown(<EditorSettings server={server} slug={config.slug} hasKey={key !== null} />)
  }

  const toggle = () => (shown ? setShown(null) : void show().catch(() => {}))
  return (
    <>
      <button type="button" class="plain mcp" aria-expanded={shown !== null} onClick={toggle}>
        {ask.editor}
      </button>
      {shown}
    </>
  )
}

/** A sandboxed page has no storage. */
function openMemory(name: string): ChatMemory {
  try {
    return createChatMemory(name, sessionStorage)
  } catch {
    return nothing
  }
}

function createSession({ settings, config, api, readParameters }: Context, marks: Attributes): ChatSession {
  const { server, project, key, remembers } = settings
  const { email, metadata, think } = marks
  const slug = config.slug || project
  const address = new URL(`ws/messages/${encodeURIComponent(slug)}/`, server.replace(/^http/, 'ws'))
  const session = createChatSession({
    api: createChatApi(api.call),
    memory: remembers ? openMemory(`lectern-chat:${slug}`) : nothing,
    open: () => new WebSocket(address),
    describe: () => ({
      projectId: slug,
      ...readParameters(),
      ...(key !== null && { apiKey: key }),
      ...(email && { email }),
      ...(metadata && { metadata }),
    }),
  })
  session.setThinks(think === undefined ? config.think_mode : think !== 'false')
  return session
}

/** Dispatches events for questions and answers. */
function report(host: Host, session: ChatSession): () => void {
  let turnCount = session.state.value.turns.length
  const ended = new Set<string>()
  return session.state.subscribe(({ turns }) => {
    if (turns.length > turnCount) host.emit('ask', { question: turns.at(-1)!.question })
    turnCount = turns.length
    for (const { requestId, phase, question, text, messageId, outcome, sources, stopReason } of turns) {
      if (phase === 'running' || ended.has(requestId)) continue
      ended.add(requestId)
      if (phase === 'done') host.emit('answer', { question, answer: text, messageId, outcome, sources })
      else host.emit('error', { code: stopReason ?? 'interrupted', message: question })
    }
  })
}
