// Light English stemming: plurals, -ed, -ing and a last -e. Terms keep their own form in addition to the stem.
// After Harman, "How effective is suffixing?" (JASIS 1991), the S stemmer, with Porter's rule for doubled consonants.

const vowel = /[aeiouy]/
const plain = /^[a-z]+$/

/** Rewrites of an ending, first match wins; the remainder needs `keeps` letters and a vowel. */
const endings: { ending: string; becomes: string; keeps: number }[] = [
  { ending: 'ies', becomes: 'y', keeps: 2 },
  { ending: 'sses', becomes: 'ss', keeps: 2 },
  { ending: 'xes', becomes: 'x', keeps: 2 },
  { ending: 'ches', becomes: 'ch', keeps: 2 },
  { ending: 'shes', becomes: 'sh', keeps: 2 },
  { ending: 'ss', becomes: 'ss', keeps: 1 },
  { ending: 'us', becomes: 'us', keeps: 1 },
  { ending: 'is', becomes: 'is', keeps: 1 },
  { ending: 's', becomes: '', keeps: 3 },
]
const verbEndings = ['ing', 'ied', 'ed'] as const

/**
 * `queries` → `query`, `indexes` and `indexing` → `index`, `create`, `created`, `creating` → `creat`,
 * `stopped` → `stop`. Words that are not plain lower-case English letters, and short ones, come back as they are.
 */
export function stem(word: string): string {
  if (word.length < 4 || !plain.test(word)) return word
  return withoutLastE(withoutVerbEnding(withoutPlural(word)))
}

function withoutPlural(word: string): string {
  for (const { ending, becomes, keeps } of endings) {
    if (!word.endsWith(ending)) continue
    const left = word.length - ending.length
    return left >= keeps ? word.slice(0, left) + becomes : word
  }
  return word
}

function withoutVerbEnding(word: string): string {
  const ending = verbEndings.find((candidate) => word.endsWith(candidate))
  if (ending === undefined) return word
  const left = word.slice(0, -ending.length)
  if (left.length < 3 || !vowel.test(left)) return word
  if (ending === 'ied') return `${left}y`
  const last = left.at(-1)!
  const isDoubled = last === left.at(-2) && !'lsz'.includes(last)
  return isDoubled ? left.slice(0, -1) : left
}

function withoutLastE(word: string): string {
  return word.length > 3 && word.endsWith('e') && !word.endsWith('ee') ? word.slice(0, -1) : word
}
