// The text of a passage as a model and a reader get it: code stands in fences, everything else as it was extracted.
import type { Block } from '../../crawler/extract/page.ts'
import { toPieces } from '../index/passages.ts'
import type { PageContent } from '../store/page.ts'

/** Stands before a passage that is not the beginning of its section. */
export const continuation = '…'

/**
 * The unit of that ordinal (services/index/units.ts) with its code in fences; `text`, which the unit has without them,
 * where the content is another version's.
 */
export function toPassageText(content: PageContent | null, ordinal: number, text: string): string {
  const found = content?.sections
    .flatMap(({ blocks }) => toPieces(blocks).map((pieces, at) => ({ pieces, isFirst: at === 0 })))
    .at(ordinal)
  if (found === undefined || found.pieces.map((piece) => piece.text).join('\n\n') !== text) return text
  return [...(found.isFirst ? [] : [continuation]), ...found.pieces.map(fenced)].join('\n\n')
}

function fenced({ kind, text }: Block): string {
  if (kind !== 'code') return text
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(text)))
  return `${fence}\n${text}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}

/** Reads it back: lists and tables are known by their lines (`- `, ` | `). A fence that nothing closes goes to the end. */
export function readPassageText(text: string): Block[] {
  const blocks: Block[] = []
  let fence: string | null = null
  let lines: string[] = []
  const close = () => {
    const text = lines.join('\n')
    if (text !== '') blocks.push({ kind: fence === null ? kindOf(text) : 'code', text })
    lines = []
  }
  for (const line of text.split('\n')) {
    const isFence = fence === null ? /^`{3,}$/u.test(line) : line === fence
    if (isFence || (fence === null && line === '')) {
      close()
      if (isFence) fence = fence === null ? line : null
    } else {
      lines.push(line)
    }
  }
  close()
  return blocks
}

function kindOf(text: string): Block['kind'] {
  const lines = text.split('\n')
  if (lines[0]!.startsWith('- ')) return 'list'
  return lines.length > 1 && lines.every((line) => line.includes(' | ')) ? 'table' : 'paragraph'
}
