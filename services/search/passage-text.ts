// The text of a passage as a model and a reader get it: code stands in fences, everything else as it was extracted.
import type { Block } from '../../crawler/extract/page.ts'
import type { Unit } from '../index/search-index.ts'

/** Stands before a passage that is not the beginning of its section. */
export const continuation = '…'

/** The text of a unit with its code in fences. */
export function toPassageText({ text, code = [], continues }: PassageUnit): string {
  let shown = continues ? `${continuation}\n\n` : ''
  let read = 0
  for (let at = 0; at < code.length; at += 2) {
    const [start, end] = [code[at]!, code[at + 1]!]
    shown += text.slice(read, start) + fenced(text.slice(start, end))
    read = end
  }
  return shown + text.slice(read)
}

type PassageUnit = Pick<Unit, 'text' | 'code' | 'continues'>

export function fenced(text: string, fence = fenceOf(text)): string {
  return `${fence}\n${text}\n${fence}`
}

/** Longer than any run of its sign in the text. */
export function fenceOf(text: string): string {
  return '`'.repeat(Math.max(3, 1 + maxRun(text)))
}

function maxRun(text: string): number {
  let max = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    run = text[at] === '`' ? run + 1 : 0
    if (run > max) max = run
  }
  return max
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
  // A passage may begin amid an item: no line of a paragraph opens with the mark of one.
  if (lines.some((line) => line.startsWith('- '))) return 'list'
  return lines.length > 1 && lines.every((line) => line.includes(' | ')) ? 'table' : 'paragraph'
}
