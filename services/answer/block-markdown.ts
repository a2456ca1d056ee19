// A block of a page as Markdown that shows exactly its text: nothing in it comes to life.
import type { Block } from '../../crawler/extract/page.ts'
import { fenced } from '../search/passage-text.ts'

export function toMarkdown({ kind, text }: Block): string {
  if (kind === 'code') return fenced(text)
  if (kind === 'list') {
    const items = text.split(/\n(?=- )/u)
    return items.map((item) => `- ${toInline(item.replace(/^- /u, ''))}`).join('\n')
  }
  if (kind === 'table') return text.split('\n').map(toInline).join('  \n')
  return toInline(text)
}

/** Addresses, long options, calls, dotted and underscored names: shown as code. */
const names =
  /(https?:\/\/[^\s<>()`]+[^\s<>().,;:!?'"`]|(?<![\p{L}\p{N}_`-])(?:--[A-Za-z][\w-]*(?<!-)|(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*[\p{L}_$][\p{L}\p{N}_$]*\(\)|[\p{L}_$][\p{L}\p{N}$]*_[\p{L}\p{N}_$]*(?:\.[\p{L}\p{N}_$]+)*)(?![\p{L}\p{N}_`(-]))/gu
/** What means something in Markdown, anywhere or where a text begins. */
const special =
  /[\\`*[\]<]|&(?=#?[\p{L}\d]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|^\d+(?=[.)])/gu

export function toInline(text: string): string {
  const parts = text.replace(/\s+/gu, ' ').trim().split(names)
  return parts.map((part, at) => (at % 2 === 1 ? `\`${part}\`` : part.replace(special, '\\$&'))).join('')
}
