// The trace of an answer, and the answer itself.
import { useRef } from 'preact/hooks'
import { createMarkdownReader } from '../../components/markdown.tsx'
import type { Message, TurnTrace } from '../reader-rows.ts'
import { PlainTable } from './short-table.tsx'
import { Fact, formatNumber, Outside, State } from './values.tsx'

/** Renders a model's text with a fixed set of elements. */
export function AnswerText({ content, sources }: Pick<Message, 'content' | 'sources'>) {
  const read = useRef(createMarkdownReader())
  const given = useRef(sources.map((source) => ({ quote: '', ...source })))
  return (
    <div class="answer">
      <div class="prose">{read.current(content, given.current)}</div>
      {sources.length > 0 && (
        <>
          <h3>Sources</h3>
          <ol class="addresses" aria-label="Sources">
            {sources.map(({ title, url }, at) => (
              <li key={at}>
                <Outside url={url}>{title || url}</Outside>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}

const meanings: Record<string, string> = {
  used: 'by words and by meaning',
  off: 'by words: embeddings are off',
  loading: 'by words: the embedding model was loading',
  busy: 'by words: the embedding model was busy',
  late: 'by words: the embedding model was late',
  failed: 'by words: the embedding model failed',
  unembedded: 'by words: no section is embedded yet',
}

export const describeMeaning = (meaning: string | null | undefined) =>
  meaning ? (meanings[meaning] ?? meaning) : 'by words'

export function describeModel({ model, prompt_version }: TurnTrace): string {
  if (model === 'none') return 'none was asked'
  return `${model === 'extractive' ? 'none: sections are quoted' : model} (prompt ${prompt_version})`
}

const formatMs = (ms: number) => `${formatNumber(Math.round(ms))} ms`

export function TraceView({ trace }: { trace: TurnTrace }) {
  const { queries, passages, dropped, timings, probability, model_error } = trace
  return (
    <div class="trace">
      <dl class="facts">
        <Fact name="Outcome">{trace.outcome ? <State name={trace.outcome} /> : 'none'}</Fact>
        {probability !== null && (
          <Fact name="Probability">{probability.toFixed(3)} that the passages answer the question</Fact>
        )}
        {queries.map((query, at) => (
          <Fact key={at} name={at === 0 ? 'Searched for' : 'and for'}>
            “{query}”, {describeMeaning(trace.meanings[at])}
          </Fact>
        ))}
        <Fact name="Model">{describeModel(trace)}</Fact>
        {model_error && <Fact name="Model’s error">{model_error}</Fact>}
        {timings && (
          <Fact name="Time">
            passages after {formatMs(timings.retrieved)}
            {timings.first_token !== null && `, first word after ${formatMs(timings.first_token)}`}, done
            after {formatMs(timings.done)}
          </Fact>
        )}
      </dl>
      {passages.length > 0 && (
        <PlainTable label="Passages" titles={['Passage', ['Score', 'number'], 'Cited']} rows={passages}>
          {({ unit, url, score, cited, quote }) => (
            <tr key={unit}>
              <td>
                <Outside url={url} />
                {quote && <div class="quiet">“{quote}”</div>}
              </td>
              <td class="number">{score.toFixed(3)}</td>
              <td>{cited ? 'yes' : 'no'}</td>
            </tr>
          )}
        </PlainTable>
      )}
      {dropped.length > 0 && (
        <>
          <p class="label">Removed from the draft</p>
          <ul class="addresses">
            {dropped.map(({ text, why }, at) => (
              <li key={at}>
                <del>{text}</del> {why}
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>The trace as it is stored</summary>
        <pre class="text" tabIndex={0}>
          {JSON.stringify(trace, null, 2)}
        </pre>
      </details>
    </div>
  )
}
