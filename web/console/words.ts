// The difference between two texts, word by word.

export interface TextPart {
  text: string
  side: 'both' | 'before' | 'now'
}

const maxWords = 1_500

/** Parts of both texts in order. Texts that are too long to compare differ completely. */
export function findDifference(before: string, now: string): TextPart[] {
  const a = before.match(/\s+|[^\s]+/g) ?? []
  const b = now.match(/\s+|[^\s]+/g) ?? []
  if (before === now) return [{ text: before, side: 'both' }]
  if (a.length > maxWords || b.length > maxWords) {
    return [
      { text: before, side: 'before' },
      { text: now, side: 'now' },
    ]
  }
  // common[i][j]: length of the longest common subsequence of a from i and b from j.
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] =
        a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const parts: TextPart[] = []
  const add = (text: string, side: TextPart['side']) => {
    const last = parts.at(-1)
    if (last?.side === side) last.text += text
    else parts.push({ text, side })
  }
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(a[i++]!, 'both')
      j++
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      add(a[i++]!, 'before')
    else add(b[j++]!, 'now')
  }
  return parts
}
