// What readers type: terms letter by letter, first letters, complete questions. Drawn with a fixed seed.
import type { CorpusPart } from '../corpus/corpus.ts'
import { readQuestions } from '../manuals/manual-questions.ts'
import { largeManuals } from '../site/manuals.ts'
import { createRandom, sample, timed } from '../statistics.ts'

export type KeystrokeClass = 'one letter' | 'typing' | 'questions'
/** Of each class, in the order of typing. */
export type Keystrokes = Record<KeystrokeClass, string[]>
/** Milliseconds for each. */
export type Times = Record<KeystrokeClass, number[]>

export function emptyTimes(): Times {
  return { 'one letter': [], typing: [], questions: [] }
}

/** Types everything once. */
export async function type(search: (query: string) => unknown, keystrokes: Keystrokes): Promise<Times> {
  const times = emptyTimes()
  for (const kind of Object.keys(times) as KeystrokeClass[]) {
    for (const query of keystrokes[kind]) times[kind].push(await timed(() => search(query)))
  }
  return times
}

const typedTerms = 40

export function readKeystrokes(parts: CorpusPart[]): Keystrokes {
  const headings = parts.map((part) => part.heading.split('(')[0]!.trim().slice(0, 30))
  const terms = sample(
    [...new Set(headings)].filter((heading) => heading.length >= 4),
    typedTerms,
    createRandom(7),
  )
  return {
    'one letter': [...'abcdefghijklmnopqrstuvwxyz'],
    typing: terms.flatMap((term) =>
      Array.from({ length: term.length - 1 }, (_, at) => term.slice(0, at + 2)),
    ),
    questions: largeManuals.flatMap((manual) => readQuestions(manual).map(({ question }) => question)),
  }
}
