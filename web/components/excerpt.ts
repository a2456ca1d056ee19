// Restores the line breaks of a result's fragment: the server collapses white space, but code needs its lines.
import type { SearchResult } from './api.ts'

/**
 * The part of `content` that `fragment` comes from, or the fragment if it is not found. At the start of a line, it keeps
 * the line's indentation and has no leading `…`.
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
