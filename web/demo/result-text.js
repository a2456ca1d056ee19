// Text of results as nodes: matched words in <mark>, code in <code>. Text only ever becomes text nodes.
import { inlineCode, isCodeLine, isCodeTitle } from './code-shape.js'
import { matchesIn } from './highlight.js'

/** A title with its matches marked; code where it is a name or signature. */
export function titleNodes(title, words) {
  const nodes = markedNodes(title, words)
  return isCodeTitle(title) ? [element('code', nodes)] : nodes
}

/** A fragment: code in blocks, tables in rows, running text with the code in it. */
export function fragmentNodes(fragment, words) {
  return blocksOf(fragment).map(({ kind, text }) => writers[kind](text, words))
}

const writers = {
  code: (text, words) => element('pre', [element('code', markedNodes(withoutIndent(text), words))]),
  text: (text, words) => element('p', runningNodes(text.replace(/^- /gm, '• '), words)),
  table: (text, words) =>
    element(
      'table',
      text.split('\n').map((line) => row(line, words)),
    ),
}

/** Without the white space that all lines open with. */
function withoutIndent(text) {
  const lines = text.split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n')
}

function row(line, words) {
  return element(
    'tr',
    line.split(' | ').map((cell) => element('td', runningNodes(cell, words))),
  )
}

/**
 * The blocks of a fragment, which blank lines part: a table where the lines have cells, code where at least half of the
 * lines look so. Neighbouring code is joined.
 *
 *   "Run it:\n\nmake();\n\ntest();" → [{kind: 'text', text: "Run it:"}, {kind: 'code', text: "make();\n\ntest();"}]
 */
export function blocksOf(fragment) {
  const blocks = []
  for (const text of fragment.split(/\n\s*?\n/)) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (lines.length === 0) continue
    const kind = kindOf(lines)
    const last = blocks.at(-1)
    if (kind === 'code' && last?.kind === 'code') last.text += `\n\n${lines.join('\n')}`
    else blocks.push({ kind, text: lines.join('\n') })
  }
  return blocks
}

function kindOf(lines) {
  // The last row may be cut off.
  const rows = lines.length > 2 ? lines.slice(0, -1) : lines
  if (rows.length > 1 && rows.every((line) => line.includes(' | '))) return 'table'
  return lines.filter(isCodeLine).length * 2 >= lines.length ? 'code' : 'text'
}

function runningNodes(text, words) {
  return stretch(text, inlineCode(text), (piece, code) => {
    const nodes = markedNodes(piece, words)
    return code ? [element('code', nodes)] : nodes
  })
}

function markedNodes(text, words) {
  return stretch(text, matchesIn(text, words), (piece, marked) => {
    const node = document.createTextNode(piece)
    return marked ? [element('mark', [node])] : [node]
  })
}

/** Calls `toNodes(piece, inside)` for what lies in the stretches and between them, in order. */
function stretch(text, stretches, toNodes) {
  const nodes = []
  let from = 0
  for (const [start, end] of [...stretches, [text.length, text.length]]) {
    if (start > from) nodes.push(...toNodes(text.slice(from, start), false))
    if (end > start) nodes.push(...toNodes(text.slice(start, end), true))
    from = end
  }
  return nodes
}

function element(name, children) {
  const made = document.createElement(name)
  made.append(...children)
  return made
}
