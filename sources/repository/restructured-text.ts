// reStructuredText files: titles, paragraphs, lists, literal blocks, and directives with text for readers.
import { createOutline, type Outline } from '../../crawler/extract/outline.ts'
import { createLimits, type ExtractedPage, fileName, textPage } from '../../crawler/extract/page.ts'

const adornment = /^([!-/:-@[-`{-~])\1{2,}\s*$/
const directive = /^\.\. +([\w:+-]+)::(?: +(.*))?$/s
const item = /^(?:[-*+•]|\(?(?:\d{1,9}|[a-z#])[.)])[ \t]+(.*)$/is
const field = /^:[^:\n]{1,200}:(?:\s+(.*))?$/s

/** Directives with literal code. */
const codes = new Set(
  'code code-block sourcecode literal parsed-literal highlight prompt doctest testcode'.split(' '),
)
/** Directives without text for readers. */
const silent = new Set(
  `image figure toctree include contents index raw meta automodule autoclass autofunction literalinclude only ifconfig
   currentmodule module highlight role default-role tabularcolumns graphviz math bibliography`.split(/\s+/),
)

interface State {
  outline: Outline
  /** Adornments of titles, outermost first. */
  levels: string[]
}

/** Never throws. */
export function extractRestructuredText(text: string, url: string): ExtractedPage {
  let title = ''
  const limits = createLimits(text.length)
  const outline = createOutline(limits, (level, heading) => {
    if (level !== 1 || title !== '') return false
    title = heading
    return true
  })
  const lines = text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '        ')
    .split('\n')
  readBlocks(lines, { outline, levels: [] }, 0)
  outline.endText()
  const sections = outline.finish()
  return textPage(title || sections[0]?.heading || fileName(url), sections, limits)
}

const maxDepth = 8

function readBlocks(lines: string[], state: State, depth: number) {
  for (let at = 0; at < lines.length; ) at = readBlock(lines, at, state, depth)
}

/** Reads the block at a line. Returns the line of the next block. */
function readBlock(lines: string[], at: number, state: State, depth: number): number {
  const { outline } = state
  const line = lines[at] as string
  if (line.trim() === '') {
    outline.endText()
    return at + 1
  }
  const title = titleAt(lines, at)
  if (title !== null && depth === 0) {
    outline.heading(toLevel(state, title.adornment), plain(title.text), slug(title.text))
    return title.end
  }
  if (line.startsWith('..')) return readExplicit(lines, at, state, depth)
  if (/^ /.test(line)) return readIndented(lines, at, state, depth)
  const items = item.exec(line)
  if (items) return readItem(lines, at, items[1] as string, state)
  outline.text(`${plain(field.test(line) ? line.replaceAll(':', ' ') : withoutMarker(line))}\n`)
  if (line.trimEnd().endsWith('::')) return readLiteral(lines, at + 1, outline)
  return at + 1
}

interface Title {
  text: string
  adornment: string
  end: number
}

/** A title: a line with a rule of its length below, or above and below. */
function titleAt(lines: string[], at: number): Title | null {
  const [first = '', second = '', third = ''] = lines.slice(at, at + 3)
  const over = adornment.exec(first)?.[1]
  if (over !== undefined && adornment.exec(third)?.[1] === over && second.trim() !== '') {
    return { text: second.trim(), adornment: over + over, end: at + 3 }
  }
  const under = adornment.exec(second)?.[1]
  const isTitle = under !== undefined && over === undefined && !/^\s/.test(first) && first.trim() !== ''
  if (!isTitle || second.trimEnd().length < Math.min(3, first.trimEnd().length)) return null
  return { text: first.trim(), adornment: under, end: at + 2 }
}

function toLevel({ levels }: State, mark: string): number {
  if (!levels.includes(mark)) levels.push(mark)
  return Math.min(6, levels.indexOf(mark) + 1)
}

/** The following indented lines, with empty lines between them. */
function blockAfter(lines: string[], start: number): { block: string[]; end: number } {
  let end = start
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] as string
    if (line.trim() === '') continue
    if (!line.startsWith(' ')) break
    end = at + 1
  }
  const block = lines.slice(start, end)
  const indents = block.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const indent = indents.length === 0 ? 0 : indents.reduce((least, each) => Math.min(least, each))
  return { block: block.map((line) => line.slice(indent)), end }
}

/** Reads a directive, a target, a footnote or a comment. */
function readExplicit(lines: string[], at: number, { outline, levels }: State, depth: number): number {
  outline.endText()
  const { block, end } = blockAfter(lines, at + 1)
  const [, name = '', argument = ''] = directive.exec(lines[at] as string) ?? []
  const options = block.findIndex((line) => !/^:[\w-]+:/.test(line))
  const content = options < 0 ? [] : block.slice(options)
  if (codes.has(name)) outline.code(trimLines(content).join('\n'))
  else if (name !== '' && !silent.has(name) && depth < maxDepth) {
    if (argument !== '') outline.text(`${plain(argument)}\n`)
    outline.endText()
    readBlocks(content, { outline, levels }, depth + 1)
    outline.endText()
  }
  return end
}

/** Reads a quotation, or the definition of the term above. */
function readIndented(lines: string[], at: number, state: State, depth: number): number {
  const { block, end } = blockAfter(lines, at)
  if (depth < maxDepth) readBlocks(block, state, depth + 1)
  else state.outline.text(`${plain(block.join('\n'))}\n`)
  return end
}

function readLiteral(lines: string[], start: number, outline: Outline): number {
  outline.endText()
  const { block, end } = blockAfter(lines, start)
  const code = trimLines(block)
  if (code.length > 0) outline.code(code.join('\n'))
  return end
}

function readItem(lines: string[], at: number, first: string, { outline }: State): number {
  const { block, end } = blockAfter(lines, at + 1)
  outline.endText()
  outline.within('list', () => {
    outline.startItem()
    outline.text(plain([first, ...block].join('\n')))
  })
  return end
}

function trimLines(lines: string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== '')
  const end = lines.findLastIndex((line) => line.trim() !== '')
  return start < 0 ? [] : lines.slice(start, end + 1)
}

const withoutMarker = (line: string) => line.replace(/(\S)::\s*$/, '$1:').replace(/^::\s*$/, '')

/** Removes inline markup: "``a``" → `a`, ":ref:`text <target>`" → `text`, "`text <url>`_" → `text`. */
function plain(text: string): string {
  return text
    .replace(/``([^`\n]{1,500})``/g, '$1')
    .replace(/(?::[\w+:-]{1,60}:)?`~?([^`<\n]{1,500}?)(?:\s*<[^`<>\n]{1,500}>)?`_{0,2}/g, '$1')
    .replace(/\*\*([^*\n]{1,500})\*\*/g, '$1')
    .replace(/(^|[\s(])\*([^*\s][^*\n]{0,500})\*/g, '$1$2')
    .replace(/\|([\w .-]{1,100})\|/g, '$1')
    .replace(/^[+=-][+=\- ]{3,}$/gm, '')
    .trim()
}

/** The id that docutils makes from a name. */
function slug(text: string): string {
  return plain(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '')
}
