// The fragment of a result with the line breaks of its section: answers set white space single, and code needs its lines.
import type { SearchResult } from './api.ts'

/**
 * The piece of `content` that `fragment` was made of, or the fragment where it is not found there. One that opens a line
 * keeps the line's indentation and needs no `…` before it.
 *
 *   "…a loop: for x in y: go(x)…" of "Use a loop:\n\nfor x in y:\n    go(x)\n\nMore." → "…a loop:\n\nfor x in y:\n    go(x)…"
 */
export function readExcerpt({ fragment, content }: Pick<SearchResult, 'fragment' | 'content'>): string {
  const [, before = '', text = '', after = ''] = /^(…?)(.*?)(…?)$/s.exec(fragment) ?? []
  if (!content || text === '' || text.includes('\n')) return fragment
  const { single, places } = setSingle(content)
  const start = single.indexOf(text)
  if (start < 0) return fragment
  const from = places[start] ?? 0
  const end = (places[start + text.length - 1] ?? 0) + 1
  const line = from === 0 ? 0 : content.lastIndexOf('\n', from - 1) + 1
  const opensLine = content.slice(line, from).trim() === ''
  return (opensLine ? content.slice(line, end) : before + content.slice(from, end)) + after
}

/** The text with white space made single, and where each of its characters stands in the original. */
function setSingle(content: string): { single: string; places: number[] } {
  const places: number[] = []
  let single = ''
  for (let at = 0; at < content.length; at++) {
    const space = /\s/.test(content[at] ?? '')
    if (space && single.endsWith(' ')) continue
    single += space ? ' ' : content[at]
    places.push(at)
  }
  return { single, places }
}
