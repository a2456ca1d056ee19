// The roots by which words of a claim and a passage are compared: their stem, and what is left without the endings that
// turn a verb into a noun, an adjective or an adverb.
import { stem } from '../index/stem.ts'

const irregular = new Map(
  `shown show|kept keep|held hold|gave give|given give|took take|taken take|wrote write|written write|sent send|found find|built build
  |chose choose|chosen choose|ran run|began begin|begun begin|lost lose|made make|meant mean|threw throw|thrown throw|told tell
  |known know|knew know|hidden hide|broken break|broke break|grew grow|grown grow|fell fall|fallen fall|caught catch|dealt deal
  |overridden override|understood understand|stuck stick|spent spend|drew draw|drawn draw|came come|became become|saw see|seen see
  |exceeded exceed|exceeds exceed|exceeding exceed|proceeded proceed|proceeds proceed|succeeded succeed|succeeds succeed|older old|oldest old|newer new|newest new|latest late|longest long|largest large
  |smallest small|biggest big|highest high|lowest low|fewest few|shortest short|fastest fast|slowest slow|earliest early`
    .split('|')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

/** The stem; `cancelled` and `cancels` are one, `exactly` is `exact`. */
export function rootOf(word: string): string {
  const plain = irregular.get(word) ?? withoutAdverb(word)
  const root = stem(plain)
  return root !== plain && root.endsWith('ll') && root.length > 5 ? root.slice(0, -1) : root
}

function withoutAdverb(word: string): string {
  return /^[a-z]{4,}(?:al|e|[^aeiouy])ly$/u.test(word)
    ? word.slice(0, word.endsWith('ically') ? -4 : -2)
    : word
}

/** Longest first; what is left must be as long as `keeps`. */
const endings: [ending: RegExp, keeps: number][] = [
  [/(?:ations?|ators?|ating|ated|ates?)$/u, 4],
  [/(?:ifications?|ifying|ified|ifies|ify)$/u, 3],
  [/(?:i[sz]ations?|i[sz]ing|i[sz]ed|i[sz]es?)$/u, 4],
  [/(?:ments?|ances?|ences?|ability|ibility)$/u, 4],
  [/(?:ions?|als?|able|ible|ness|ant|ent|ings?)$/u, 4],
  [/(?:ers?|ors?)$/u, 5],
  [/(?:ed|es|e|s|y)$/u, 4],
]

/** `removal`, `removing`, `removes` → `remov`; `creation` → `creat`; null for short words. */
export function familyOf(word: string): string | null {
  if (word.length < 5 || !/^[a-z]+$/u.test(word)) return null
  for (const [ending, keeps] of endings) {
    const root = word.replace(ending, '')
    if (root !== word && root.length >= keeps) return `~${root.replace(/([^aeiou])\1$/u, '$1')}`
  }
  return `~${word}`
}
