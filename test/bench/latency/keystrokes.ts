// What readers type: terms letter by letter, first letters, whole questions. Drawn by a fixed seed.
import { readFileSync } from 'node:fs'
import type { CorpusPart } from '../corpus/corpus.ts'
import { manuals } from '../site/manuals.ts'
import { createRandom, sample } from '../statistics.ts'

export type KeystrokeClass = 'one letter' | 'typing' | 'questions'

const typedTerms = 40

/** Keystrokes of each class, in the order of typing. */
export function readKeystrokes(parts: CorpusPart[]): Record<KeystrokeClass, string[]> {
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
    questions: manuals.flatMap(({ name }) => {
      const entries: { question: string; set: string }[] = JSON.parse(
        readFileSync(new URL(`../questions/${name}.json`, import.meta.url), 'utf8'),
      )
      return entries.filter((entry) => entry.set === 'open').map((entry) => entry.question)
    }),
  }
}
