// Text of results as elements: matched words in <mark>, code in <code>.
import type { ComponentChild, VNode } from 'preact'
import { findInlineCode, isCodeLine, isCodeTitle } from './code-shape.ts'
import { findMatches, type Stretch } from './highlight.ts'

/** A title with its matches marked; code where it is a name or signature. */
export function ResultTitle({ title, words }: { title: string; words: string[] }) {
  const text = toMarked(title, words)
  return isCodeTitle(title) ? <code>{text}</code> : text
}

/** A fragment: code in blocks, tables in rows, running text with the code in it. */
export function Fragment({ text, words }: { text: string; words: string[] }) {
  return <>{toBlocks(text).map((block) => toElement(block, words))}</>
}

interface Block {
  kind: 'code' | 'text' | 'table'
  text: string
}

/**
 * The blocks of a fragment, which blank lines part: a table where the lines have cells, code where at least half of the
 * lines look so. Neighbouring code is joined.
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

function toElement({ kind, text }: Block, words: string[]): VNode {
  if (kind === 'text') return <p dir="auto">{toRunning(text.replace(/^- /gm, '• '), words)}</p>
  if (kind === 'code') {
    return (
      <pre dir="ltr">
        <code>{toMarked(withoutIndent(text), words)}</code>
      </pre>
    )
  }
  const rows = text.split('\n').map((line) => (
    <tr>
      {line.split(' | ').map((cell) => (
        <td dir="auto">{toRunning(cell, words)}</td>
      ))}
    </tr>
  ))
  return (
    <table>
      <tbody>{rows}</tbody>
    </table>
  )
}

/** Without the white space that all lines open with. */
function withoutIndent(text: string): string {
  const lines = text.split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n')
}

function toRunning(text: string, words: string[]): ComponentChild[] {
  return cut(text, findInlineCode(text), (piece, isCode) => {
    const marked = toMarked(piece, words)
    return isCode ? <code>{marked}</code> : marked
  })
}

function toMarked(text: string, words: string[]): ComponentChild[] {
  return cut(text, findMatches(text, words), (piece, isMatch) =>
    isMatch ? <mark part="mark">{piece}</mark> : piece,
  )
}

/** Calls `toChild(piece, isInside)` for what lies in the stretches and between them, in order. */
function cut(
  text: string,
  stretches: Stretch[],
  toChild: (piece: string, isInside: boolean) => ComponentChild,
): ComponentChild[] {
  const children: ComponentChild[] = []
  let from = 0
  for (const [start, end] of [...stretches, [text.length, text.length] as Stretch]) {
    if (start > from) children.push(toChild(text.slice(from, start), false))
    if (end > start) children.push(toChild(text.slice(start, end), true))
    from = end
  }
  return children
}
