// Renders text of results: matched words in <mark>, code in <code>.
import { findInlineCode, isCodeLine, isCodeTitle } from './code-shape.ts'
import { findMatches, type Stretch } from './highlight.ts'
import { type Child, make } from './make.ts'

/** A title with marked matches, as code if it is a name or signature. */
export function makeTitle(title: string, words: string[]): Child[] {
  const text = toMarked(title, words)
  return isCodeTitle(title) ? [make('code', {}, ...text)] : text
}

/** A fragment: code in blocks, tables in rows, running text with inline code. */
export function makeFragment(text: string, words: string[]): Child[] {
  return toBlocks(text).map((block) => toElement(block, words))
}

interface Block {
  kind: 'code' | 'text' | 'table'
  text: string
}

/**
 * Splits a fragment into blocks at blank lines: a table if all lines have cells, code if at least half of the lines look
 * like it. Joins neighboring code.
 *
 *   "Run it:\n\nmake();\n\ntest();" → [{kind: 'text', text: "Run it:"}, {kind: 'code', text: "make();\n\ntest();"}]
 */
export function toBlocks(fragment: string): Block[] {
  const blocks: Block[] = []
  for (const text of fragment.split(/\n\s*?\n/)) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (lines.length === 0) continue
    const kind = readKind(lines)
    const last = blocks.at(-1)
    if (kind === 'code' && last?.kind === 'code') last.text += `\n\n${lines.join('\n')}`
    else blocks.push({ kind, text: lines.join('\n') })
  }
  return blocks
}

function readKind(lines: string[]): Block['kind'] {
  // The last row may be cut off.
  const rows = lines.length > 2 ? lines.slice(0, -1) : lines
  if (rows.length > 1 && rows.every((line) => line.includes(' | '))) return 'table'
  return lines.filter(isCodeLine).length * 2 >= lines.length ? 'code' : 'text'
}

function toElement({ kind, text }: Block, words: string[]): HTMLElement {
  if (kind === 'text') return make('p', { dir: 'auto' }, ...toRunning(text.replace(/^- /gm, '• '), words))
  if (kind === 'code')
    return make('pre', { dir: 'ltr' }, make('code', {}, ...toMarked(withoutIndent(text), words)))
  const rows = text.split('\n').map((line) => {
    const cells = line.split(' | ').map((cell) => make('td', { dir: 'auto' }, ...toRunning(cell, words)))
    return make('tr', {}, ...cells)
  })
  return make('table', {}, make('tbody', {}, ...rows))
}

/** Removes the indentation that all lines share. */
function withoutIndent(text: string): string {
  const lines = text.split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n')
}

function toRunning(text: string, words: string[]): Child[] {
  return cut(text, findInlineCode(text), (piece, isCode) => {
    const marked = toMarked(piece, words)
    return isCode ? [make('code', {}, ...marked)] : marked
  })
}

function toMarked(text: string, words: string[]): Child[] {
  return cut(text, findMatches(text, words), (piece, isMatch) => [
    isMatch ? make('mark', { part: 'mark' }, piece) : piece,
  ])
}

/** Calls `toChildren(piece, isInside)` for each range and the text between ranges, in order. */
function cut(
  text: string,
  stretches: Stretch[],
  toChildren: (piece: string, isInside: boolean) => Child[],
): Child[] {
  const children: Child[] = []
  let from = 0
  for (const [start, end] of [...stretches, [text.length, text.length] as Stretch]) {
    if (start > from) children.push(...toChildren(text.slice(from, start), false))
    if (end > start) children.push(...toChildren(text.slice(start, end), true))
    from = end
  }
  return children
}
