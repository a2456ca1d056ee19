// Parses the blocks of a Markdown text, line by line. Raw HTML and link definitions are not supported: both are text.

export type Block =
  | { type: 'paragraph'; text: string }
  | { type: 'heading'; depth: number; text: string }
  | { type: 'code'; text: string }
  | { type: 'quote'; blocks: Block[] }
  | { type: 'rule' }
  | { type: 'list'; start: number | null; isTight: boolean; items: Block[][] }
  | { type: 'table'; header: string[]; rows: string[][] }

/** A block and the number of its lines, including blank ones after it. */
export interface Reading {
  block: Block
  lines: number
}

/** Maximum depth of nested quotes and lists. */
const maxDepth = 30
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*)|)$/
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const quote = /^ {0,3}> ?/
const marker = /^( {0,3})([-*+]|(\d{1,9})([.)]))(?=[ \t]|$)/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/
const delimiter = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

const isBlank = (line: string) => line.trim() === ''

/** Throws RangeError if quotes and lists are nested too deep. */
export function readBlocks(lines: readonly string[], depth = 0): Reading[] {
  if (depth > maxDepth) throw new RangeError('too deep')
  const readings: Reading[] = []
  let at = 0
  while (at < lines.length) {
    const from = at
    const block = isBlank(lines[at]!) ? null : readBlock()
    while (at < lines.length && isBlank(lines[at]!)) at++
    const last = readings.at(-1)
    if (block) readings.push({ block, lines: at - from })
    else if (last) last.lines += at - from
    else readings.push({ block: { type: 'paragraph', text: '' }, lines: at - from })
  }
  return readings

  function readBlock(): Block {
    const line = lines[at]!
    if (fence.test(line)) return readFence()
    const [, signs, title = ''] = heading.exec(line) ?? []
    if (signs) {
      at += 1
      return {
        type: 'heading',
        depth: signs.length,
        text: title
          .trim()
          .replace(/(?:^|[ \t])#+$/, '')
          .trim(),
      }
    }
    if (rule.test(line)) {
      at += 1
      return { type: 'rule' }
    }
    if (quote.test(line)) return readQuote()
    if (marker.test(line)) return readList()
    if (measureIndent(line) >= 4) return readIndented()
    return readTable() ?? readParagraph()
  }

  function readFence(): Block {
    const line = lines[at]!
    const [, mark] = fence.exec(line)!
    const indent = measureIndent(line)
    const end = new RegExp(`^ {0,3}${mark![0]}{${mark!.length},}[ \t]*$`)
    const content: string[] = []
    for (at += 1; at < lines.length && !end.test(lines[at]!); at++)
      content.push(withoutIndent(lines[at]!, indent))
    at += 1
    return { type: 'code', text: content.join('\n') }
  }

  function readIndented(): Block {
    const content: string[] = []
    for (; at < lines.length && (isBlank(lines[at]!) || measureIndent(lines[at]!) >= 4); at++)
      content.push(withoutIndent(lines[at]!, 4))
    return { type: 'code', text: content.join('\n').trimEnd() }
  }

  function readQuote(): Block {
    const content: string[] = []
    for (; at < lines.length && (quote.test(lines[at]!) || goesOn(content, lines[at]!)); at++)
      content.push(lines[at]!.replace(quote, ''))
    return { type: 'quote', blocks: readBlocks(content, depth + 1).map(({ block }) => block) }
  }

  function readList(): Block {
    const [, , , number] = marker.exec(lines[at]!)!
    const kind = readMarkerKind(lines[at]!)
    const items: Block[][] = []
    let isTight = true
    while (at < lines.length) {
      if (readMarkerKind(lines[at]!) !== kind || rule.test(lines[at]!)) break
      const content = readItem(marker.exec(lines[at]!)![0].length)
      const readings = readBlocks(content, depth + 1)
      const isLast = at >= lines.length || readMarkerKind(lines[at]!) !== kind
      const gap = content.length > 0 && isBlank(content.at(-1)!)
      if ((gap && !isLast) || readings.slice(0, -1).some((_, index) => endsBlank(content, readings, index)))
        isTight = false
      items.push(readings.map(({ block }) => block))
    }
    return { type: 'list', start: number === undefined ? null : Number(number), isTight, items }
  }

  /** The lines of an item, without the indent of its text and including trailing blank lines. */
  function readItem(width: number): string[] {
    const first = lines[at]!
    const rest = first.slice(width)
    const space = measureIndent(rest)
    // Five or more spaces are indented code in the item.
    const indent = width + (isBlank(rest) || space > 4 ? 1 : space)
    const content = [isBlank(rest) ? '' : withoutIndent(rest, indent - width)]
    for (at += 1; at < lines.length; at++) {
      const line = lines[at]!
      if (isBlank(line)) content.push('')
      else if (measureIndent(line) >= indent) content.push(withoutIndent(line, indent))
      else if (goesOn(content, line)) content.push(line.trimStart())
      else break
    }
    return content
  }

  function readTable(): Block | null {
    const header = splitCells(lines[at]!)
    const below = lines[at + 1] ?? ''
    if (!delimiter.test(below) || !`${lines[at]}${below}`.includes('|')) return null
    if (splitCells(below).length !== header.length) return null
    const rows: string[][] = []
    for (at += 2; at < lines.length && !isBlank(lines[at]!) && !interrupts(lines[at]!); at++) {
      const cells = splitCells(lines[at]!)
      rows.push(header.map((_, index) => cells[index] ?? ''))
    }
    return { type: 'table', header, rows }
  }

  function readParagraph(): Block {
    const content = [lines[at]!]
    for (at += 1; at < lines.length; at++) {
      const line = lines[at]!
      if (underline.test(line)) {
        at += 1
        return { type: 'heading', depth: line.includes('=') ? 1 : 2, text: joinLines(content) }
      }
      if (isBlank(line) || interrupts(line)) break
      content.push(line)
    }
    return { type: 'paragraph', text: joinLines(content) }
  }
}

/** The last character of a list marker. A different one starts another list. */
function readMarkerKind(line: string): string | undefined {
  return marker.exec(line)?.[2]?.at(-1)
}

function endsBlank(content: string[], readings: Reading[], index: number): boolean {
  const end = readings.slice(0, index + 1).reduce((sum, { lines }) => sum + lines, 0)
  return isBlank(content[end - 1] ?? 'x')
}

/** Keeps trailing spaces of inner lines, which may be line breaks. */
function joinLines(lines: string[]): string {
  return lines
    .map((line) => line.trimStart())
    .join('\n')
    .trimEnd()
}

/** Whether a line starts a new block inside a paragraph. */
function interrupts(line: string): boolean {
  if (fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line)) return true
  const [whole, , , number] = marker.exec(line) ?? []
  return (
    whole !== undefined &&
    !isBlank(line.slice(whole.length)) &&
    (number === undefined || Number(number) === 1)
  )
}

/** Whether a line without the marker of its quote or item continues the paragraph at the end of `content`. */
function goesOn(content: string[], line: string): boolean {
  const last = content.at(-1)
  if (last === undefined || isBlank(last) || isBlank(line) || interrupts(line) || marker.test(line))
    return false
  if (heading.test(last) || rule.test(last) || fence.test(last) || measureIndent(last) >= 4) return false
  const fences = content.filter((each) => fence.test(each)).length
  return fences % 2 === 0
}

/** Indentation in columns. A tab extends to the next multiple of four. */
function measureIndent(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns += 1
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}

/** Removes up to `columns` columns of leading white space. */
function withoutIndent(line: string, columns: number): string {
  let at = 0
  let column = 0
  while (column < columns && (line[at] === ' ' || line[at] === '\t')) {
    column += line[at] === '\t' ? 4 - (column % 4) : 1
    at += 1
  }
  return ' '.repeat(Math.max(0, column - columns)) + line.slice(at)
}

function splitCells(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .split(/(?<!\\)\|/)
  if (cells.length > 1 && cells.at(-1)!.trim() === '') cells.pop()
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}
