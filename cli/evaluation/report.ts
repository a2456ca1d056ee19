// An evaluation as a person reads it.
import { printLine, printTable } from '../print.ts'
import { changedQuestions, changedSettings } from './comparison.ts'
import type { Evaluation } from './results-file.ts'
import type { Scores } from './scores.ts'

const rows: { name: keyof Scores; label: string; percent: boolean }[] = [
  { name: 'hit_at_1', label: 'hit@1', percent: true },
  { name: 'hit_at_3', label: 'hit@3', percent: true },
  { name: 'hit_at_10', label: 'hit@10', percent: true },
  { name: 'mrr', label: 'MRR', percent: false },
  { name: 'answered_answerable', label: 'answerable: answered', percent: true },
  { name: 'pointed_answerable', label: '… pointed to sections', percent: true },
  { name: 'refused_answerable', label: '… refused', percent: true },
  { name: 'answered_unanswerable', label: 'unanswerable: answered', percent: true },
  { name: 'pointed_unanswerable', label: '… pointed to sections', percent: true },
  { name: 'refused_unanswerable', label: '… refused', percent: true },
  { name: 'cited_page', label: 'cites an expected page', percent: true },
  { name: 'cited_page_found', label: '… where search had it', percent: true },
  { name: 'failed', label: 'failed', percent: true },
]

export function printEvaluation(now: Evaluation, before: Evaluation | null): void {
  const answerable = now.outcomes.filter((each) => each.answerable).length
  const { page_count, last_sync, model, prompt_version, embeddings, embedded } = now.settings
  printLine(
    `${now.project}: ${now.outcomes.length} questions, ${answerable} answerable; ${page_count} pages, sync ${last_sync ?? 'never'}`,
  )
  printLine(
    `model ${model}, prompt ${prompt_version}, embeddings ${embeddings ? `${embeddings} (${embedded} sections)` : 'none'}\n`,
  )
  const shown = rows.filter(({ name }) => now.scores[name] !== null)
  printTable(
    ['', 'NOW', ...(before ? ['BEFORE', 'CHANGE'] : [])],
    shown.map(({ name, label, percent }) => {
      const [value, earlier] = [now.scores[name], before?.scores[name] ?? null]
      const cells = [label, toFigure(value, percent)]
      return before ? [...cells, toFigure(earlier, percent), toChange(value, earlier, percent)] : cells
    }),
  )
  if (before) printComparison(before, now)
}

function printComparison(before: Evaluation, now: Evaluation): void {
  printLine(`\nCompared with ${before.at}.`)
  if (before.questions !== now.questions)
    printLine('The questions have changed since; those of both are compared below.')
  for (const setting of changedSettings(before.settings, now.settings)) printLine(setting)
  const changes = changedQuestions(before, now)
  printLine(changes.length === 0 ? 'No question went otherwise.' : '')
  if (changes.length === 0) return
  printTable(
    ['', 'QUESTION', 'BEFORE → NOW'],
    changes.map(({ direction, question, what }) => [direction > 0 ? 'better' : 'worse', question, what]),
  )
}

function toFigure(value: number | null, percent: boolean): string {
  if (value === null) return '–'
  return percent ? `${(value * 100).toFixed(1)} %` : value.toFixed(3)
}

function toChange(now: number | null, before: number | null, percent: boolean): string {
  if (now === null || before === null) return ''
  const change = now - before
  if (Math.abs(change) < 0.0005) return '='
  return `${change > 0 ? '+' : '−'}${toFigure(Math.abs(change), percent)}`
}
