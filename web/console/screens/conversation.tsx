// C9: a conversation with the traces of its answers, and a way to ask the same question again.
import { useState } from 'preact/hooks'
import { go, projectHref, type ScreenProps } from '../address.ts'
import type { ApiError } from '../api.ts'
import { type Answer, ask, readTrace } from '../chats.ts'
import { useLoad } from '../load.ts'
import { ConfirmButton } from '../parts/dialog.tsx'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { say } from '../parts/toasts.tsx'
import { AnswerText, TraceView } from '../parts/trace.tsx'
import { formatCount, Outside, State, When } from '../parts/values.tsx'
import type { Conversation, Message } from '../reader-rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { Comparison } from './comparison.tsx'

export function Screen({ parameters: { slug = '', uuid = '' } }: ScreenProps) {
  const path = projectPath(slug, `chats/${uuid}/`)
  const { value, error, reload } = useLoad((signal) => readWhole(path, signal), [path])
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  const { title, email, metadata, url, created_at, messages } = value
  const inOrder = messages.toReversed()

  async function remove() {
    await api.delete(path)
    say('The conversation was deleted.')
    go(projectHref(slug, 'conversations'))
  }

  return (
    <section>
      <Head
        title={title || 'Conversation'}
        about={
          <>
            <When at={created_at} /> · {formatCount(messages.length, 'message')}
            {email && ` · ${email}`}
            {metadata && ` · ${metadata}`}
            {url && (
              <>
                {' · on '}
                <Outside url={url} />
              </>
            )}
          </>
        }
      >
        {may('chats_delete') && (
          <ConfirmButton label="Delete" title="Delete the conversation?" onConfirm={remove}>
            <p>Its messages and ratings are erased. It cannot be undone.</p>
          </ConfirmButton>
        )}
      </Head>
      {inOrder.map((message, at) =>
        message.role === 'user' ? (
          <Question key={message.uuid} message={message} isAnswered={inOrder[at + 1]?.role === 'assistant'} />
        ) : (
          <AnswerCard
            key={message.uuid}
            slug={slug}
            message={message}
            question={inOrder[at - 1]?.content ?? ''}
            isFirst={at <= 1}
          />
        ),
      )}
    </section>
  )
}

/** Reads all pages of its messages, newest first. */
async function readWhole(path: string, signal: AbortSignal): Promise<Conversation> {
  const first = await api.get<Conversation>(path, { limit: 100 }, signal)
  const messages = [...first.messages]
  while (messages.length < first.message_count) {
    const more = await api.get<Conversation>(path, { limit: 100, offset: messages.length }, signal)
    if (more.messages.length === 0) break
    messages.push(...more.messages)
  }
  return { ...first, messages }
}

interface QuestionProps {
  message: Message
  isAnswered: boolean
}

function Question({ message: { content, created_at }, isAnswered }: QuestionProps) {
  return (
    <div class="asked">
      <p dir="auto">{content}</p>
      <p class="quiet">
        <When at={created_at} />
        {!isAnswered && ' · No answer is stored: it is still being written, or Lectern was stopped.'}
      </p>
    </div>
  )
}

interface AnswerProps {
  slug: string
  message: Message
  question: string
  /** Later questions depend on the earlier conversation. */
  isFirst: boolean
}

function AnswerCard({ slug, message, question, isFirst }: AnswerProps) {
  const { uuid, content, sources, feedback, incomplete, stop_reason } = message
  const trace = useLoad((signal) => readTrace(slug, uuid, signal), [uuid])
  const [again, setAgain] = useState<Answer | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function askAgain() {
    setBusy(true)
    setError(null)
    await ask(slug, { message: question }).then(setAgain, setError)
    setBusy(false)
  }

  return (
    <article class="card" aria-label={`Answer to ${question}`}>
      <div class="row">
        {trace.value?.outcome && <State name={trace.value.outcome} />}
        {feedback !== null && <span>rated {feedback === 1 ? 'helpful' : 'not helpful'}</span>}
        {incomplete && <span class="warn">incomplete: {stop_reason}</span>}
      </div>
      <AnswerText content={content} sources={sources} />
      {trace.value && (
        <details>
          <summary>How this answer was made</summary>
          <TraceView trace={trace.value} />
        </details>
      )}
      {trace.error && <p class="quiet">{trace.error.message}</p>}
      {may('chats_create') && question !== '' && (
        <div class="row">
          <button type="button" disabled={isBusy} onClick={() => void askAgain()}>
            {isBusy ? 'Answering…' : 'Ask again now'}
          </button>
          <span class="quiet">
            In a new conversation{isFirst ? '' : ', without what was said before'}. It calls the model.
          </span>
        </div>
      )}
      {error && <Failure error={error} />}
      {again && <Comparison before={{ content, sources, trace: trace.value }} now={again} />}
    </article>
  )
}
