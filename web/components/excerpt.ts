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
  const found = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+')).exec(content)
  if (!found) return fragment
  const from = found.index
  const end = from + found[0].length
  const line = from === 0 ? 0 : content.lastIndexOf('\n', from - 1) + 1
  const opensLine = content.slice(line, from).trim() === ''
  return (opensLine ? content.slice(line, end) : before + content.slice(from, end)) + after
}
