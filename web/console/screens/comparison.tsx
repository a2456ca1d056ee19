// Two answers to the same question side by side, with the differences of text, passages and figures.

import { PlainTable } from '../parts/short-table.tsx'
import { describeModel } from '../parts/trace.tsx'
import type { Message, TurnTrace } from '../reader-rows.ts'
import { findDifference } from '../words.ts'

interface Side extends Pick<Message, 'content' | 'sources'> {
  trace: TurnTrace | null
}

export function Comparison({ before, now }: { before: Side; now: Side }) {
  const parts = findDifference(before.content, now.content)
  const isSame = before.content === now.content
  return (
    <div class="comparison" role="region" aria-label="Difference">
      <h2>{isSame ? 'The answer is the same now' : 'The answer is different now'}</h2>
      <div class="halves">
        <div>
          <h3>Then</h3>
          <p class="compared">
            {parts.map(({ text, side }, at) =>
              side === 'both' ? text : side === 'before' ? <del key={at}>{text}</del> : null,
            )}
          </p>
        </div>
        <div>
          <h3>Now</h3>
          <p class="compared">
            {parts.map(({ text, side }, at) =>
              side === 'both' ? text : side === 'now' ? <ins key={at}>{text}</ins> : null,
            )}
          </p>
        </div>
      </div>
      {before.trace && now.trace && <Figures before={before.trace} now={now.trace} />}
    </div>
  )
}

function Figures({ before, now }: { before: TurnTrace; now: TurnTrace }) {
  const rows: [name: string, before: string, now: string][] = [
    ['Outcome', before.outcome ?? 'none', now.outcome ?? 'none'],
    ['Probability', format(before.probability), format(now.probability)],
    ['Model', describeModel(before), describeModel(now)],
    ['Searched for', before.queries.join('; '), now.queries.join('; ')],
    ['Removed citations', String(before.dropped.length), String(now.dropped.length)],
    ...comparePassages(before, now),
  ]
  return (
    <PlainTable label="Figures" titles={['Of the trace', 'Then', 'Now']} rows={rows}>
      {([name, old, recent]) => (
        <tr key={name} class={old === recent ? '' : 'changed'}>
          <th scope="row">{name}</th>
          <td>{old}</td>
          <td>{recent}</td>
        </tr>
      )}
    </PlainTable>
  )
}

const format = (probability: number | null) => probability?.toFixed(3) ?? 'none'

/** The hash shows whether the text of a passage has changed. */
function comparePassages(before: TurnTrace, now: TurnTrace): [string, string, string][] {
  const urls = [...new Set([...before.passages, ...now.passages].map(({ url }) => url))]
  const describe = ({ passages }: TurnTrace, url: string, other: TurnTrace) => {
    const at = passages.findIndex((each) => each.url === url)
    if (at < 0) return 'not found'
    const { cited, content_hash } = passages[at]!
    const there = other.passages.find((each) => each.url === url)
    const isChanged = there !== undefined && there.content_hash !== content_hash
    return `${at + 1}.${cited ? ' cited' : ''}${isChanged ? ' another text' : ''}`
  }
  return urls.map((url) => [url, describe(before, url, now), describe(now, url, before)])
}
