// C10: asks questions with known answer pages, and shows the metrics.
import { useRef, useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { projectHref, type ScreenProps, server } from '../address.ts'
import type { ApiError } from '../api.ts'
import {
  type Evaluation,
  evaluate,
  keepRun,
  type PastRun,
  questionText,
  readQuestions,
} from '../evaluation.ts'
import { saveFile } from '../files.ts'
import { Failure, Head } from '../parts/notices.tsx'
import { PlainTable } from '../parts/short-table.tsx'
import { formatCount, When } from '../parts/values.tsx'
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
  // Answers create conversations, which are read and then deleted.
  const mayAsk = may('chats_create') && may('chats_read') && may('chats_delete')
  const [searchOnly, setSearchOnly] = useState(true)
  const [done, setDone] = useState<number | null>(null)
  const [total, setTotal] = useState(0)
  const [error, setError] = useState<Pick<ApiError, 'message'> | null>(null)
  const [result, setResult] = useState<Seen | null>(null)
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
      const evaluation = await evaluate({ slug, questions, searchOnly, signal, onProgress: setDone })
      setResult({ ...evaluation, runs: keepRun(slug, questions, searchOnly, evaluation) })
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
            One JSON object per line: a question, and the pages that hold its answer, or none. They stay in
            this tab: save them as a file.
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
              Also ask the assistant (calls the language model)
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

interface Seen extends Evaluation {
  /** Of the same questions, oldest first, this one last. */
  runs: PastRun[]
}

type ScoreName = keyof Evaluation['scores']

function format(name: ScoreName, value: number | null): string {
  if (value === null) return '–'
  return name === 'mrr' ? value.toFixed(3) : `${(value * 100).toFixed(1)} %`
}

function Result({ slug, result: { outcomes, scores, runs } }: { slug: string; result: Seen }) {
  const failing = outcomes.filter(
    ({ answerable, rank, answered, cited }) =>
      answered === 'failed' ||
      (answerable ? rank === null || answered === 'refused' || cited === false : answered === 'answered'),
  )
  const before = runs.at(-2)
  const names = (Object.keys(scores) as ScoreName[]).filter((name) => scores[name] !== null)
  return (
    <>
      <div class="card" role="status">
        <h2>{formatCount(outcomes.length, 'question')}</h2>
        <PlainTable
          label="Metrics"
          titles={['Metric', ['Now', 'number'], ['Before', 'number'], 'Trend']}
          rows={names}
        >
          {(name) => (
            <tr key={name}>
              <td>{labels[name] ?? name}</td>
              <td class="number">{format(name, scores[name])}</td>
              <td class="number">{format(name, before?.scores[name] ?? null)}</td>
              <td>
                <Trend label={labels[name] ?? name} values={runs.map((run) => run.scores[name])} />
              </td>
            </tr>
          )}
        </PlainTable>
        <p class="quiet">
          {before ? (
            <>
              {formatCount(runs.length, 'run')} of these questions in this browser; the one before was{' '}
              <When at={before.at} />.
            </>
          ) : (
            'The first run of these questions in this browser. Later ones are compared with it.'
          )}
        </p>
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

const trendSize = { width: 120, height: 24 }

/** A line over runs, from 0 at the bottom to 1 at the top. */
function Trend({ label, values }: { label: string; values: (number | null)[] }) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return null
  const { width, height } = trendSize
  const toPoint = (value: number, at: number) =>
    `${(at / (known.length - 1)) * width},${1 + (1 - value) * (height - 2)}`
  return (
    <svg
      class="trend"
      role="img"
      aria-label={`${label}: ${known.map((value) => value.toFixed(2)).join(', ')}`}
      {...trendSize}
    >
      <polyline points={known.map(toPoint).join(' ')} />
    </svg>
  )
}
