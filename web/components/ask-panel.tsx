// The conversation panel: its turns, the welcome before the first, and the field for the next question.
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type AskTexts, useAskTexts } from './ask-texts.ts'
import { type ChatSession, canSend } from './chat-session.ts'
import { Icon } from './icon.tsx'
import { createMarkdownReader } from './markdown.tsx'
import { describeStage, findCurrentStage } from './stages.tsx'
import { useStore } from './store.ts'
import { fill } from './texts.ts'
import type { Turn } from './turn.ts'
import { type ChatAction, describeNotice, TurnView, type TurnViewProps } from './turn-view.tsx'

const icons = {
  back: 'M12 4.5 6.5 10l5.5 5.5',
  send: 'M10 16V4.5M5 9.5l5-5 5 5',
  stop: 'M6 6h8v8H6z',
}
/** Pixels. A reader who has scrolled less than this still follows the answer. */
const slack = 60
/** Pixels above a question that is scrolled to. */
const margin = 12
const noSources: never[] = []

export interface AskPanelProps extends Pick<TurnViewProps, 'onFeedback' | 'onCopy' | 'onSource'> {
  session: ChatSession
  /** Replaces Lectern's own title. */
  title?: string | undefined
  /** Display name of the project. */
  name: string
  initialMessage: string | null
  suggestedQuestions: string[]
  actions: ChatAction[]
  questionRef?: RefObject<HTMLTextAreaElement | null>
  /** Asks instead of the session. */
  onAsk?(question: string): void
  onClose?(): void
  /** Back to the search that the question came from. */
  onBack?(): void
  isHidden?: boolean
  /** Shown below the field, such as the name of Lectern. */
  children?: ComponentChildren
}

export function AskPanel(props: AskPanelProps) {
  const { session, name, initialMessage, suggestedQuestions, actions, onClose, isHidden = false } = props
  const texts = useAskTexts()
  const own = useRef<HTMLTextAreaElement>(null)
  const question = props.questionRef ?? own
  const log = useRef<HTMLDivElement>(null)
  const status = useRef<HTMLParagraphElement>(null)
  const state = useStore(session.state)
  const { turns, restoring, thinks } = state
  const isRunning = turns.at(-1)?.phase === 'running' || turns.some(({ continuing }) => continuing)
  const greeting = initialMessage || fill(texts.ask.greeting, { name })
  const welcome = useMemo(() => createMarkdownReader()(greeting, noSources), [greeting])
  const ask = (text: string) => {
    if (props.onAsk) props.onAsk(text)
    else void session.ask(text)
    question.current?.focus()
  }

  useFollow(log, turns, isRunning)
  useLayoutEffect(() => {
    const said = describeForListeners(texts, turns.at(-1), log.current)
    if (status.current && said !== null && status.current.textContent !== said)
      status.current.textContent = said
  }, [turns])

  return (
    <section
      class="chat"
      part="chat"
      id="chat"
      aria-labelledby="chat-title"
      aria-busy={isRunning}
      hidden={isHidden}
    >
      <header class="chat-head">
        {props.onBack && (
          <button class="plain back" id="chat-back" type="button" onClick={props.onBack}>
            <Icon path={icons.back} /> {texts.ask.back}
          </button>
        )}
        <h2 id="chat-title">{props.title ?? texts.ask.title}</h2>
        <button
          class="plain"
          id="chat-new"
          type="button"
          hidden={turns.length === 0}
          onClick={() => {
            session.startAnew()
            question.current?.focus()
          }}
        >
          {texts.ask.startAnew}
        </button>
        {onClose && (
          <button class="plain" id="chat-close" type="button" onClick={onClose}>
            {texts.search.close}
          </button>
        )}
      </header>
      <div class="log" id="chat-log" tabIndex={0} role="region" aria-label={texts.ask.conversation} ref={log}>
        <div class="welcome" id="chat-welcome" hidden={turns.length > 0 || restoring}>
          <div class="prose">{welcome}</div>
          <Suggestions questions={suggestedQuestions} onAsk={ask} />
        </div>
        <div id="chat-turns">
          {turns.map((turn) => (
            <TurnView
              key={turn.requestId}
              turn={turn}
              session={session}
              canSend={canSend(state)}
              actions={actions}
              onFeedback={props.onFeedback}
              onCopy={props.onCopy}
              onSource={props.onSource}
            />
          ))}
        </div>
      </div>
      <Composer
        questionRef={question}
        isRunning={isRunning}
        thinks={thinks}
        session={session}
        onAsk={ask}
        onLeave={onClose}
      />
      {props.children}
      <p class="unseen" id="chat-status" role="status" ref={status} />
    </section>
  )
}

function Suggestions({ questions, onAsk }: { questions: string[]; onAsk(question: string): void }) {
  const texts = useAskTexts()
  if (questions.length === 0) return null
  return (
    <ul class="suggestions" part="suggestions" aria-label={texts.search.suggestions}>
      {questions.map((question) => (
        <li>
          <button type="button" class="suggestion" dir="auto" onClick={() => onAsk(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface ComposerProps {
  questionRef: RefObject<HTMLTextAreaElement | null>
  isRunning: boolean
  thinks: boolean
  session: ChatSession
  onAsk(question: string): void
  onLeave: (() => void) | undefined
}

/** Enter asks, Shift+Enter starts a new line. Esc stops an answer, else clears the field, else leaves. */
function Composer({ questionRef, isRunning, thinks, session, onAsk, onLeave }: ComposerProps) {
  const texts = useAskTexts()
  const [text, setText] = useState('')

  function send(event: Event) {
    event.preventDefault()
    if (text.trim() === '' || isRunning) return
    onAsk(text)
    setText('')
  }

  function handleKey(event: KeyboardEvent) {
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) return send(event)
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (isRunning) session.stop()
    else if (text !== '') setText('')
    else onLeave?.()
  }

  return (
    <form class="composer" part="composer" id="composer" onSubmit={send}>
      <textarea
        id="question"
        part="question-input"
        ref={questionRef}
        // The field grows with its text, up to five lines.
        rows={Math.min(5, text.split('\n').length + Math.floor(text.length / 60))}
        maxLength={1000}
        enterkeyhint="send"
        autocomplete="off"
        dir="auto"
        placeholder={texts.search.ask}
        aria-label={texts.ask.label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={handleKey}
      />
      <div class="composer-foot">
        <label class="think">
          <input
            id="think"
            type="checkbox"
            checked={thinks}
            onChange={(event) => session.setThinks(event.currentTarget.checked)}
          />{' '}
          {texts.ask.think}
        </label>
        <button
          class="send"
          part="stop"
          id="stop"
          type="button"
          hidden={!isRunning}
          onClick={() => {
            session.stop()
            questionRef.current?.focus()
          }}
        >
          <Icon path={icons.stop} /> {texts.ask.stop}
        </button>
        <button class="send" part="send" id="send" type="submit" hidden={isRunning}>
          <Icon path={icons.send} /> {texts.ask.send}
        </button>
      </div>
    </form>
  )
}

/**
 * Scrolls with the growing answer until its question is at the top, because readers start at the beginning. Does not scroll if
 * the reader has scrolled away.
 */
function useFollow(log: RefObject<HTMLDivElement | null>, turns: Turn[], isRunning: boolean) {
  const last = useRef({ requestId: '', followedTo: 0, wasRunning: false })
  useLayoutEffect(() => {
    const box = log.current
    const turn = box?.querySelector<HTMLElement>('.turn:last-child')
    if (!box || !turn) return
    // Called after the browser's layout of the next frame. Reading positions here would cause a second layout.
    const observer = new ResizeObserver(() => {
      observer.disconnect()
      follow(box, turn)
    })
    observer.observe(turn)
    return () => observer.disconnect()
  }, [turns])

  function follow(box: HTMLElement, turn: HTMLElement) {
    const requestId = turns.at(-1)?.requestId ?? ''
    const { current } = last
    const isNew = requestId !== current.requestId
    const hasScrolled = Math.abs(box.scrollTop - current.followedTo) > slack
    if (isNew || (!hasScrolled && (isRunning || current.wasRunning))) {
      // The browser limits the position to the end.
      box.scrollTop += turn.getBoundingClientRect().top - box.getBoundingClientRect().top - margin
      current.followedTo = box.scrollTop
    }
    current.requestId = requestId
    current.wasRunning = isRunning
  }
}

/** The text for screen readers: each stage, then the whole answer at once, not word by word. Null: nothing new. */
function describeForListeners(
  texts: AskTexts,
  turn: Turn | undefined,
  log: HTMLElement | null,
): string | null {
  if (!turn) return ''
  if (turn.phase === 'running') {
    const stage = findCurrentStage(turn)
    return stage && describeStage(texts, stage)
  }
  // Unlike textContent, innerText separates paragraphs, items and cells.
  const prose = log?.querySelector<HTMLElement>('.turn:last-child .prose')?.innerText
  const { length } = turn.sources
  return [
    turn.phase === 'done' && texts.ask.finished,
    prose,
    describeNotice(texts, turn),
    length > 0 && texts.plural(texts.answer.sourceCount, length),
  ]
    .filter(Boolean)
    .join(' ')
}
