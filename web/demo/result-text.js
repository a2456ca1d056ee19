// Text of results as nodes: matched words in <mark>, code in <code>. Text only ever becomes text nodes.
import { inlineCode, isCodeLine, isCodeTitle } from './code-shape.js'
import { matchesIn } from './highlight.js'

/** A title with its matches marked; code where it is a name or signature. */
export function titleNodes(title, words) {
  const nodes = markedNodes(title, words)
  return isCodeTitle(title) ? [element('code', nodes)] : nodes
}

/** A fragment: code in blocks, running text with the code in it. */
export function fragmentNodes(fragment, words) {
  return blocksOf(fragment).map(({ code, text }) =>
    code
      ? element('pre', [element('code', markedNodes(text, words))])
      : element('p', runningNodes(text, words)),
  )
}

/**
 * The blocks of a fragment, which blank lines part; one is code where at least half of its lines look so. Neighbours of
 * one kind that are code are joined.
 *
 *   "Run it:\n\nmake();\n\ntest();" → [{code: false, text: "Run it:"}, {code: true, text: "make();\n\ntest();"}]
 */
export function blocksOf(fragment) {
  const blocks = []
  for (const text of fragment.split(/\n\s*?\n/)) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (lines.length === 0) continue
    const code = lines.filter(isCodeLine).length * 2 >= lines.length
    const last = blocks.at(-1)
    if (code && last?.code) last.text += `\n\n${lines.join('\n')}`
    else blocks.push({ code, text: lines.join('\n') })
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
