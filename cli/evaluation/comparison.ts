// What became of each question since an earlier evaluation.
import type { Outcome } from './outcome.ts'
import type { Evaluation, Settings } from './results-file.ts'

export interface Change {
  question: string
  /** 1 better, -1 worse. */
  direction: 1 | -1
  /** What changed, before → now. */
  what: string
}

/** Settings that are others now: `model: extractive → openai:gpt-x`. */
export function changedSettings(before: Settings, now: Settings): string[] {
  const names = Object.keys(now) as (keyof Settings)[]
  return names
    .filter((name) => before[name] !== now[name])
    .map((name) => `${name.replaceAll('_', ' ')}: ${before[name] ?? 'none'} → ${now[name] ?? 'none'}`)
}

/** Questions that both have and that went otherwise, the worse ones first. */
export function changedQuestions(before: Evaluation, now: Evaluation): Change[] {
  const earlier = new Map(before.outcomes.map((outcome) => [outcome.question, outcome]))
  return now.outcomes
    .flatMap((outcome) => {
      const old = earlier.get(outcome.question)
      return old && old.answerable === outcome.answerable ? changesOf(old, outcome) : []
    })
    .sort((one, other) => one.direction - other.direction)
}

function changesOf(before: Outcome, now: Outcome): Change[] {
  const { question } = now
  const [gradeBefore, gradeNow] = [gradeOf(before), gradeOf(now)]
  return [
    { from: placeOf(before.rank), to: placeOf(now.rank), before: weight(before.rank), now: weight(now.rank) },
    { from: gradeBefore.words, to: gradeNow.words, before: gradeBefore.value, now: gradeNow.value },
  ]
    .filter((each) => each.before !== each.now)
    .map(({ from, to, ...values }) => ({
      question,
      direction: values.now > values.before ? 1 : -1,
      what: `${from} → ${to}`,
    }))
}

function weight(rank: number | null): number {
  return rank === null ? 0 : 1 / rank
}

function placeOf(rank: number | null): string {
  return rank === null ? 'not found' : `place ${rank}`
}

/** An answerable question: answered with the right page, with others, pointed, refused, failed. Another: refused, pointed, answered. */
function gradeOf({ answerable, answered, cited }: Outcome): { words: string; value: number } {
  if (answered === null) return { words: '', value: 0 }
  if (answered === 'failed') return { words: 'failed', value: -2 }
  if (answered === 'refused') return { words: 'refused', value: answerable ? -1 : 1 }
  if (answered === 'pointed') return { words: 'pointed', value: answerable ? -0.5 : 0.5 }
  if (!answerable) return { words: 'answered', value: 0 }
  return cited ? { words: 'cites the page', value: 1 } : { words: 'cites other pages', value: 0 }
}
