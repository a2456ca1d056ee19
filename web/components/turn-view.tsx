// A turn of the conversation: question, stages, answer, sources and actions.
import { useMemo, useState } from 'preact/hooks'
import { readWebAddress } from './addresses.ts'
import { type AskTexts, useAskTexts } from './ask-texts.ts'
import type { ChatSession } from './chat-session.ts'
import { CopyButton } from './copy.tsx'
import { createMarkdownReader } from './markdown.tsx'
import { OutwardLink, SourceList } from './sources.tsx'
import { Stages } from './stages.tsx'
import { fill } from './texts.ts'
import type { Source, Turn } from './turn.ts'

/** A button that the project adds to answers. */
export interface ChatAction {
  name: string
  button_text: string
  url: string
}

export interface TurnViewProps {
  turn: Turn
  session: Pick<ChatSession, 'retry' | 'goOn' | 'react'>
  /** Whether a question can be sent again. */
  canSend: boolean
  actions: ChatAction[]
  onFeedback?: ((turn: Turn, reaction: 0 | 1) => void) | undefined
  onCopy?: (() => void) | undefined
  /** Called when a source is opened, from its mark or from the list. */
  onSource?: ((turn: Turn, source: Source) => void) | undefined
}

/** Rendered again only if the turn has changed: each token changes only one of many turns. */
export function TurnView(props: TurnViewProps) {
  const { turn, canSend, actions } = props
  const texts = useAskTexts()
  return useMemo(() => <TurnArticle {...props} />, [turn, canSend, actions, texts])
}

function TurnArticle(props: TurnViewProps) {
  const { turn } = props
  const texts = useAskTexts()
  const toBlocks = useMemo(createMarkdownReader, [])
  const { question, phase, text, sources, outcome, continuing } = turn
  const isRunning = phase === 'running'
  const notice = describeNotice(texts, turn)
  function openSource(event: MouseEvent) {
    const link = (event.target as Element).closest('a.cite, a.source')
    const source = sources.find(({ url }) => url === link?.getAttribute('href'))
    if (source && event.button < 2) props.onSource?.(turn, source)
  }

  const isPointed = outcome === 'pointed' || outcome === 'refused'
  return (
    <article
      class={`turn ${outcome ?? ''}`}
      part="turn"
      aria-label={fill(texts.ask.answerTo, { question })}
      aria-busy={isRunning || continuing}
      onClick={openSource}
      onAuxClick={openSource}
    >
      <h3 class="question" part="question" dir="auto">
        {question}
      </h3>
      <Stages turn={turn} />
      {isPointed && <p class="outcome">{texts.answer[outcome]}</p>}
      <div class={isRunning && text !== '' ? 'prose writing' : 'prose'} part="answer">
        {toBlocks(text, sources)}
      </div>
      {notice !== '' && (
        <p class="turn-notice" part="notice" dir="auto">
          {notice}
        </p>
      )}
      <SourceList sources={sources} title={isPointed ? texts.answer.nearest : texts.answer.sources} />
      {!isRunning && <TurnFoot {...props} />}
    </article>
  )
}

/** The sentence about a failure, or ''. */
export function describeNotice(texts: AskTexts, turn: Turn): string {
  const { notice, incomplete, canContinue } = turn
  if (notice === null) return incomplete && !canContinue ? texts.answer.incomplete : ''
  return 'code' in notice
    ? texts.notices[notice.code]
    : (translateRefusal(texts, turn, notice.text) ?? notice.text)
}

/** The server's sentences are in English. Undefined: there is no other text. */
function translateRefusal(texts: AskTexts, { stopReason }: Turn, sentence: string): string | undefined {
  const { domain, busySeconds } = { ...texts.strings.failures, ...texts.own.failures }
  if (stopReason === 'domain_not_allowed') return domain
  const seconds = Number(/\d+/.exec(sentence)?.[0])
  return stopReason === 'rate_limited' && busySeconds && seconds > 0
    ? texts.plural(busySeconds, seconds)
    : undefined
}

function TurnFoot({ turn, session, canSend, actions, onFeedback, onCopy }: TurnViewProps) {
  const { answer } = useAskTexts()
  const isDone = turn.phase === 'done'
  return (
    <div class="turn-foot">
      {(turn.canContinue || turn.continuing) && (
        <ActionButton
          name="go-on"
          label={turn.continuing ? answer.goingOn : answer.goOn}
          isDisabled={turn.continuing}
          onClick={() => void session.goOn(turn)}
        />
      )}
      {turn.retryable && (
        <ActionButton
          name="retry"
          label={canSend ? answer.retry : answer.waiting}
          isDisabled={!canSend}
          onClick={() => session.retry(turn)}
        />
      )}
      {isDone &&
        actions
          .filter(({ url }) => readWebAddress(url))
          .map(({ name, button_text, url }) => (
            <OutwardLink class="action" part="action" href={url} title={name}>
              {button_text}
            </OutwardLink>
          ))}
      {isDone && turn.text !== '' && (
        <CopyButton text={toMarkdown(turn)} label={answer.copyAnswer} {...(onCopy && { onCopy })} />
      )}
      {isDone && turn.messageId !== null && (
        <Feedback turn={turn} session={session} onFeedback={onFeedback} />
      )}
    </div>
  )
}

interface ActionButtonProps {
  name: string
  label: string
  isDisabled: boolean
  onClick(): void
}

/** Uses aria-disabled instead of `disabled`, so that the button keeps the focus. */
function ActionButton({ name, label, isDisabled, onClick }: ActionButtonProps) {
  return (
    <button
      type="button"
      class="action"
      part="action"
      data-name={name}
      aria-disabled={isDisabled}
      onClick={() => isDisabled || onClick()}
    >
      {label}
    </button>
  )
}

/** The answer and its sources as Markdown, to copy. */
function toMarkdown({ text, sources }: Turn): string {
  const list = sources.map(({ title, url }, index) => `[${index + 1}] ${title}: ${url}`)
  return [text.trim(), ...(list.length > 0 ? [list.join('\n')] : [])].join('\n\n')
}

function Feedback({ turn, session, onFeedback }: Pick<TurnViewProps, 'turn' | 'session' | 'onFeedback'>) {
  const { answer } = useAskTexts()
  /** The state of the comment after a thumbs-down. */
  const [phase, setPhase] = useState<'none' | 'asked' | 'sent'>('none')
  const [comment, setComment] = useState('')

  function react(reaction: 0 | 1) {
    setPhase(reaction === 0 ? 'asked' : 'none')
    onFeedback?.(turn, reaction)
    void session.react(turn, reaction)
  }

  function send(event: Event) {
    event.preventDefault()
    if (comment.trim() !== '') void session.react(turn, 0, comment.trim())
    setPhase('sent')
  }

  const thumb = (reaction: 0 | 1, name: string, label: string) => (
    <button
      type="button"
      class={`thumb ${name}`}
      part="thumb"
      data-name={name}
      aria-label={label}
      title={label}
      aria-pressed={turn.feedback === reaction}
      onClick={() => react(reaction)}
    />
  )
  return (
    <>
      <div class="thumbs" role="group" aria-label={answer.helpful}>
        {thumb(1, 'thumb-up', answer.yes)}
        {thumb(0, 'thumb-down', answer.no)}
      </div>
      {phase === 'asked' && (
        <form class="comment" onSubmit={send}>
          <textarea
            rows={2}
            maxLength={1000}
            dir="auto"
            placeholder={answer.comment}
            aria-label={answer.comment}
            value={comment}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
          <button type="submit" class="action">
            {answer.sendComment}
          </button>
        </form>
      )}
      {phase === 'sent' && (
        <span class="quiet" role="status">
          {answer.thanks}
        </span>
      )}
    </>
  )
}
