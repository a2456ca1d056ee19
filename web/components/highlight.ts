// Finds the ranges of a text that match the words of a query. Never builds a regular expression from the query.

/** A range of a text, `[start, end)`. */
export type Stretch = [start: number, end: number]

/** Words that are too common to mark, unless the query has no others. */
const common = new Set(
  'a an and are as at be by can do does for from how i if in is it my not of on or that the this to use using was what when where which why with you'.split(
    ' ',
  ),
)
const wordPattern = /[\p{L}\p{M}\p{N}_]+(?:(?:[.-]|::)[\p{L}\p{M}\p{N}_]+)*/gu
const partPattern = /[\p{L}\p{M}\p{N}]+/gu
const innerStart = /^[\p{Ll}\p{N}]\p{Lu}/u
const letter = /[\p{L}\p{M}\p{N}]/u
/** Scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u

/** Minimum length for typo matching: shorter words are one edit away from too many others. */
const minMistypedLength = 5

/**
 * Words to match, in lower case, longest first.
 *
 *   "How to use asyncio.create_task" → ["asyncio.create_task", "asyncio", "create", "task"]
 */
export function readWords(query: string): string[] {
  const wholes: string[] = query.match(wordPattern) ?? []
  const words = new Set(wholes.flatMap((whole) => [whole, ...(whole.match(partPattern) ?? [])]).map(fold))
  const contentWords = [...words].filter(
    (word) => !common.has(word) && (word.length > 1 || unspaced.test(word)),
  )
  const chosen = contentWords.length > 0 ? contentWords : [...words]
  return chosen.sort((a, b) => b.length - a.length)
}

/**
 * Ranges `[start, end)` where a word of `text` starts with one of `words`, in order and without overlap. If one of `words`
 * never matches, whole words that are one typo away from it match.
 *
 *   "Tasks run a task", ["task"]    → [[0, 4], [12, 16]]
 *   "The asyncio loop", ["asyncoi"] → [[4, 11]]
 */
export function findMatches(text: string, words: string[]): Stretch[] {
  const folded = fold(text)
  const found = new Set<string>()
  const stretches: Stretch[] = []
  for (let at = 0; at < text.length; at++) {
    const word = words.find((candidate) => folded.startsWith(candidate, at) && opensWord(text, at, candidate))
    if (!word) continue
    found.add(word)
    stretches.push([at, at + word.length])
    at += word.length - 1
  }
  const missed = words.filter((word) => word.length >= minMistypedLength && !found.has(word))
  return missed.length === 0
    ? stretches
    : [...stretches, ...findMistyped(missed, folded, stretches)].sort((a, b) => a[0] - b[0])
}

/** Also true for a word inside a name: `Middleware` in `SessionMiddleware`. */
function opensWord(text: string, at: number, word: string): boolean {
  const pair = text.slice(at - 1, at + 1)
  return at === 0 || unspaced.test(word) || !letter.test(pair[0] ?? '') || innerStart.test(pair)
}

function findMistyped(missed: string[], folded: string, stretches: Stretch[]): Stretch[] {
  return Array.from(folded.matchAll(partPattern))
    .filter(([part]) => missed.some((word) => isOneEditAway(part, word)))
    .map(({ index, 0: part }): Stretch => [index, index + part.length])
    .filter(([start, end]) => stretches.every(([from, to]) => end <= from || to <= start))
}

/** One letter added, removed or changed, or two neighbors swapped. The first letter must be equal. */
function isOneEditAway(one: string, other: string): boolean {
  if (one[0] !== other[0]) return false
  let same = 1
  while (same < one.length && one[same] === other[same]) same++
  const a = one.slice(same)
  const b = other.slice(same)
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || isSwapped
}

/** Lower case, with every character at the same offset. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (character) => {
    const one = character.toLowerCase()
    return one.length === character.length ? one : character
  }).join('')
}
