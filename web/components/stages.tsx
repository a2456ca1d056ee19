// The stages of a turn, as a list that collapses when the answer begins.
import { useLayoutEffect, useState } from 'preact/hooks'
import { type AskTexts, useAskTexts } from './ask-texts.ts'
import { fill } from './texts.ts'
import type { Stage, Turn } from './turn.ts'

/** Stage → keys in strings.stages: while it runs, and afterwards. */
const names = {
  contextualizing: ['contextualizing', 'contextualized'],
  searching_docs: ['searching_docs', 'searched_docs'],
  reviewing_results: ['reviewing_results', 'reviewed_results'],
  preparing_docs: ['preparing_docs', 'prepared_docs'],
  searching_web: ['searching_web', 'searched_web'],
  writing_answer: ['writing_answer', 'wrote_answer'],
  checking_sources: ['checking_sources', 'checked_sources'],
} as const

/** `Searched the documentation, round 2` */
export function describeStage(texts: AskTexts, { stage, state, detail }: Stage): string {
  const [during, after] = names[stage]
  const { searchRound = 1, documentCount } = detail
  return [
    texts.stages[state === 'completed' ? after : during],
    ...(searchRound > 1 ? [fill(texts.stages.round, { n: searchRound })] : []),
    ...(documentCount === undefined ? [] : [texts.plural(texts.stages.passages, documentCount)]),
  ].join(', ')
}

/** The running stage, or null. */
export function findCurrentStage({ stages }: Turn): Stage | null {
  return stages.findLast(({ state }) => state === 'started') ?? null
}

export function Stages({ turn }: { turn: Turn }) {
  const texts = useAskTexts()
  const { stages, phase, text, citations } = turn
  const isRunning = phase === 'running'
  // Open until the answer begins. After that, the reader may open it.
  const isWaiting = isRunning && text === ''
  const [isOpen, setOpen] = useState(isWaiting)
  // A layout effect: a normal one would show the answer below the open list for one frame.
  useLayoutEffect(() => setOpen(isWaiting), [isWaiting])
  if (stages.length === 0 && !isRunning) return null
  const current = findCurrentStage(turn)
  const summary = `${current ? describeStage(texts, current) : texts.stages.wait}…`
  return (
    <details
      class={isRunning ? 'stages running' : 'stages'}
      open={isOpen && stages.length > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{isRunning ? summary : texts.answer.made}</summary>
      <ol>
        {stages.map((stage) => (
          <li class={`stage ${stage.state}`}>
            {stage.stage === 'checking_sources' && citations && citations.sentences.length > 0 ? (
              <>
                {fill(texts.answer.removed, {
                  stage: describeStage(texts, stage),
                  n: citations.sentences.length,
                  total: citations.total,
                })}
                <ul class="removed">
                  {citations.sentences.map((sentence) => (
                    <li dir="auto">{sentence}</li>
                  ))}
                </ul>
              </>
            ) : (
              describeStage(texts, stage)
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}
