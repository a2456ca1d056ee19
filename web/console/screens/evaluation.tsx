// C10: questions with the pages that hold their answers, asked now, and what came of it.
import { useRef, useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { projectHref, type ScreenProps, server } from '../address.ts'
import type { ApiError } from '../api.ts'
import { type Evaluation, evaluate, questionText, readQuestions } from '../evaluation.ts'
import { saveFile } from '../files.ts'
import { Failure, Head } from '../parts/notices.tsx'
import { formatCount } from '../parts/values.tsx'
import { may } from '../session.ts'

const labels: Record<string, string> = {
  hit_at_1: 'hit@1',
  hit_at_3: 'hit@3',
  hit_at_10: 'hit@10',
  mrr: 'MRR',
  answered_answerable: 'answerable: answered',
  pointed_answerable: '… pointed to sections',
  refused_answerable: '… refused',
  answered_unanswerable: 'unanswerable: answered',
  pointed_unanswerable: '… pointed to sections',
  refused_unanswerable: '… refused',
  cited_page: 'cites an expected page',
  cited_page_found: '… where search had it',
  failed: 'failed',
}

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const text = useStore(questionText)
  // Answers make conversations, which are read and deleted.
  const mayAsk = may('chats_create') && may('chats_read') && may('chats_delete')
  const [searchOnly, setSearchOnly] = useState(true)
  const [done, setDone] = useState<number | null>(null)
  const [total, setTotal] = useState(0)
  const [error, setError] = useState<Pick<ApiError, 'message'> | null>(null)
  const [result, setResult] = useState<Evaluation | null>(null)
  const leave = useRef<AbortController | null>(null)

  async function run() {
    setError(null)
    setResult(null)
    leave.current = new AbortController()
    const { signal } = leave.current
    try {
      const questions = readQuestions(text)
      setTotal(questions.length)
      setDone(0)
      setResult(await evaluate({ slug, questions, searchOnly, signal, onProgress: setDone }))
    } catch (cause) {
      if (!signal.aborted) setError(cause as Error)
    }
    leave.current.abort()
    setDone(null)
  }

  return (
    <section>
      <Head
        title="Evaluation"
        about={
          <>
            The questions and metrics of <code>lectern eval</code>.{' '}
            <a href={`${server}manual/evaluating.html`} target="_blank" rel="noopener">
              What they mean
            </a>
          </>
        }
      />
      <div class="card">
        <label class="field">
          <span class="label">Questions</span>
          <textarea
            rows={10}
            spellcheck={false}
            value={text}
            placeholder={'{"question": "how do I renew a certificate", "pages": ["guide/certificates.html"]}'}
            onInput={(event) => {
              questionText.value = event.currentTarget.value
            }}
          />
          <span class="quiet">
            JSON lines: a question, and the pages that hold its answer, or none. They stay in this tab: keep
            them in a file.
          </span>
        </label>
        <div class="row">
          <label class="button">
            Open a file
            <input
              type="file"
              class="unseen"
              accept=".jsonl,.json,.txt"
              onChange={(event) => void open(event.currentTarget)}
            />
          </label>
          <button
            type="button"
            disabled={text === ''}
            onClick={() => saveFile(new Blob([text], { type: 'application/jsonl' }), 'questions.jsonl')}
          >
            Save as a file
          </button>
          {mayAsk && (
            <label class="row">
              <input
                type="checkbox"
                checked={!searchOnly}
                onChange={(event) => setSearchOnly(!event.currentTarget.checked)}
              />
              Ask, too: it calls the language model
            </label>
          )}
          {done === null ? (
            <button class="primary" type="button" onClick={() => void run()}>
              Evaluate
            </button>
          ) : (
            <button type="button" onClick={() => leave.current?.abort()}>
              {done} of {total}: cancel
            </button>
          )}
        </div>
        {error && <Failure error={error} />}
      </div>
      {result && <Result slug={slug} result={result} />}
    </section>
  )
}

async function open(input: HTMLInputElement) {
  const file = input.files?.[0]
  if (file) questionText.value = await file.text()
}

function Result({ slug, result: { outcomes, scores } }: { slug: string; result: Evaluation }) {
  const failing = outcomes.filter(
    ({ answerable, rank, answered, cited }) =>
      answered === 'failed' ||
      (answerable ? rank === null || answered === 'refused' || cited === false : answered === 'answered'),
  )
  return (
    <>
      <div class="card" role="status">
        <h2>{formatCount(outcomes.length, 'question')}</h2>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" class="number">
                Now
              </th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(scores).map(
              ([name, value]) =>
                value !== null && (
                  <tr key={name}>
                    <td>{labels[name] ?? name}</td>
                    <td class="number">
                      {name === 'mrr' ? value.toFixed(3) : `${(value * 100).toFixed(1)} %`}
                    </td>
                  </tr>
                ),
            )}
          </tbody>
        </table>
      </div>
      <div class="card">
        <h2>Questions that failed</h2>
        {failing.length === 0 ? (
          <p>None.</p>
        ) : (
          <ul class="addresses">
            {failing.map((outcome) => (
              <li key={outcome.question}>
                <a href={projectHref(slug, 'try', { q: outcome.question })}>{outcome.question}</a>{' '}
                <span class="quiet">
                  {outcome.answerable &&
                    (outcome.rank === null ? 'the page is not found' : `place ${outcome.rank}`)}{' '}
                  {outcome.answered} {outcome.cited === false && ', cites other pages'}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  )
}
