// Which stretches of a text match the words of a query. Plain scanning: nothing of the query becomes a pattern.

/** Too common to be marked, unless the query has nothing else. */
const common = new Set(
  'a an and are as at be by can do does for from how i if in is it my not of on or that the this to use using was what when where which why with you'.split(
    ' ',
  ),
)
const wordPattern = /[\p{L}\p{M}\p{N}_]+(?:(?:[.-]|::)[\p{L}\p{M}\p{N}_]+)*/gu
const partPattern = /[\p{L}\p{M}\p{N}]+/gu
const letter = /[\p{L}\p{M}\p{N}]/u
/** Scripts that set no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u

/**
 * Words to look for, lower case, longest first.
 *
 *   "How to use asyncio.create_task" → ["asyncio.create_task", "asyncio", "create", "task"]
 */
export function wordsOf(query) {
  const wholes = query.match(wordPattern) ?? []
  const words = new Set(wholes.flatMap((whole) => [whole, ...(whole.match(partPattern) ?? [])]).map(fold))
  const telling = [...words].filter((word) => !common.has(word) && (word.length > 1 || unspaced.test(word)))
  const chosen = telling.length > 0 ? telling : [...words]
  return chosen.sort((a, b) => b.length - a.length)
}

/**
 * Stretches `[start, end)` of `text` that begin a word with one of `words`, in order and without overlap.
 *
 *   "Tasks run a task", ["task"] → [[0, 4], [12, 16]]
 */
export function matchesIn(text, words) {
  const folded = fold(text)
  const stretches = []
  for (let at = 0; at < text.length; at++) {
    const word = words.find((candidate) => folded.startsWith(candidate, at) && opensWord(text, at, candidate))
    if (!word) continue
    stretches.push([at, at + word.length])
    at += word.length - 1
  }
  return stretches
}

function opensWord(text, at, word) {
  return at === 0 || unspaced.test(word) || !letter.test(text[at - 1])
}

/** Lower case with every character in its old place. */
function fold(text) {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (character) => {
    const one = character.toLowerCase()
    return one.length === character.length ? one : character
  }).join('')
}
