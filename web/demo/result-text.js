// Text of results as nodes: matched words in <mark>, code in <code>. Text only ever becomes text nodes.
import { inlineCode, isCodeLine, isCodeTitle } from './code-shape.js'
import { matchesIn } from './highlight.js'

/** A title with its matches marked; code where it is a name or signature. */
export function titleNodes(title, words) {
  const nodes = markedNodes(title, words)
  return isCodeTitle(title) ? [element('code', nodes)] : nodes
}

/** A fragment: lines of code together in one block, running text with the code in it. */
export function fragmentNodes(fragment, words) {
  return blocksOf(fragment).map(({ code, text }) =>
    code
      ? element('pre', [element('code', markedNodes(text, words))])
      : element('p', runningNodes(text, words)),
  )
}

/**
 * Neighbouring lines of one kind, joined.
 *
 *   "Run it:\n  $ make\n  $ make test" → [{code: false, text: "Run it:"}, {code: true, text: "  $ make\n  $ make test"}]
 */
export function blocksOf(fragment) {
  const blocks = []
  for (const line of fragment.split('\n')) {
    if (line.trim() === '') continue
    const code = isCodeLine(line)
    const last = blocks.at(-1)
    if (last?.code === code) last.text += code ? `\n${line}` : ` ${line.trim()}`
    else blocks.push({ code, text: code ? line : line.trim() })
  }
  return blocks
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
