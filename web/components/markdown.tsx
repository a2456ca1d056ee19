// Renders the Markdown of answers as elements. Only a fixed list of elements is created, and text only becomes text nodes. Images, raw
// HTML and link definitions are not supported. This parser has 3 KB; marked had 15 of the widget's limit of 48. It runs in linear time.
import { type ComponentChild, h } from 'preact'
import { readWebAddress } from './addresses.ts'
import { CodeBlock } from './copy.tsx'
import { type Block, readBlocks } from './markdown-blocks.ts'
import { type Inline, readInline } from './markdown-inline.ts'
import { Citation, OutwardLink } from './sources.tsx'
import type { Source } from './turn.ts'

/** Longer blocks are shown as plain text. */
const maxBlockLength = 30_000
/** Blocks at the end of a draft that further text may change. */
const unsettled = 2

interface Shown {
  /** Characters, including blank lines after it. */
  length: number
  element: ComponentChild
}

/** Returns one element per block. */
export type MarkdownReader = (text: string, sources: Source[]) => ComponentChild[]

/** A reader of one growing text. Parses only its end again: settled blocks keep their elements. */
export function createMarkdownReader(): MarkdownReader {
  let done: { text: string; sources: Source[] | null; list: Shown[] } = { text: '', sources: null, list: [] }

  return (given, sources) => {
    const text = given.replace(/\r\n?/g, '\n')
    if (sources !== done.sources || !text.startsWith(done.text)) done = { text: '', sources, list: [] }
    if (done.text !== text) {
      const settled = done.list.slice(0, -unsettled)
      const from = settled.reduce((sum, { length }) => sum + length, 0)
      done = { sources, text, list: [...settled, ...read(text.slice(from), sources)] }
    }
    return done.list.flatMap(({ element }) => element ?? [])
  }
}

function read(text: string, sources: Source[]): Shown[] {
  const lines = text.split('\n')
  try {
    let from = 0
    return readBlocks(lines).map(({ block, lines: count }) => {
      const raw = lines.slice(from, from + count).join('\n')
      from += count
      // Adds the line break between it and the next.
      const length = raw.length + (from < lines.length ? 1 : 0)
      const element = raw.length > maxBlockLength ? <p class="as-is">{raw}</p> : toBlock(block, sources)
      return { length, element }
    })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ length: text.length, element: <p class="as-is">{text}</p> }]
  }
}

function toBlock(block: Block, sources: Source[]): ComponentChild {
  switch (block.type) {
    case 'paragraph':
      return block.text === '' ? null : <p dir="auto">{toInline(block.text, sources)}</p>
    case 'heading':
      // Below the page's own headings, which are larger.
      return h(`h${Math.min(6, block.depth + 3)}`, { dir: 'auto' }, toInline(block.text, sources))
    case 'code':
      return <CodeBlock text={block.text} />
    case 'quote':
      return <blockquote>{block.blocks.map((each) => toBlock(each, sources))}</blockquote>
    case 'rule':
      return <hr />
    case 'list': {
      const { start, items, isTight } = block
      const children = items.map((item) => <li dir="auto">{toItem(item, isTight, sources)}</li>)
      return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>
    }
    case 'table': {
      // The header sets the direction of the table.
      const toCells = (cells: string[], name: 'th' | 'td') => (
        <tr>{cells.map((cell) => h(name, name === 'td' ? { dir: 'auto' } : {}, toInline(cell, sources)))}</tr>
      )
      return (
        // Focusable, so that the keyboard can scroll a wide table.
        <div class="table" tabIndex={0}>
          <table dir="auto">
            <thead>{toCells(block.header, 'th')}</thead>
            <tbody>{block.rows.map((row) => toCells(row, 'td'))}</tbody>
          </table>
        </div>
      )
    }
  }
}

/** In a tight list, text is not a paragraph. A leading `[x]` is a check box. */
function toItem(item: Block[], isTight: boolean, sources: Source[]): ComponentChild[] {
  return item.flatMap((block, index) => {
    if (block.type !== 'paragraph') return [toBlock(block, sources)]
    const [, box, rest = ''] = (index === 0 && /^\[([ xX])\]\s+(\S.*)$/s.exec(block.text)) || []
    const text = toInline(box === undefined ? block.text : rest, sources)
    if (box !== undefined) text.unshift(box === ' ' ? '☐ ' : '☑ ')
    return isTight ? text : [<p dir="auto">{text}</p>]
  })
}

function toInline(text: string, sources: Source[]): ComponentChild[] {
  return toInlines(readInline(text), sources)
}

function toInlines(list: Inline[], sources: Source[]): ComponentChild[] {
  return list.flatMap((each): ComponentChild[] => {
    switch (each.type) {
      case 'text':
        return toCited(readEntities(each.text), sources)
      case 'escape':
        return [each.text]
      case 'code':
        return [<code dir="ltr">{each.text}</code>]
      case 'break':
        return [<br />]
      case 'image':
        return toInlines(each.children, [])
      case 'link': {
        const address = readWebAddress(readEntities(each.href))
        if (!address) return toInlines(each.children, sources)
        return [<OutwardLink href={address}>{toInlines(each.children, [])}</OutwardLink>]
      }
      default:
        return [h(each.type, null, toInlines(each.children, sources))]
    }
  })
}

/**
 * Text with its citations as links.
 *
 *   "Use a timeout [2]." → "Use a timeout ", the link to the second source, "."
 */
function toCited(text: string, sources: Source[]): ComponentChild[] {
  const find = (number: number | string) => sources[Number(number) - 1]
  // Copied and read aloud, [1][2] would be the number 12.
  const apart = text.replace(/\[(\d{1,3})\](?=\[(\d{1,3})\])/g, (cited, number, next) =>
    find(number) && find(next) ? `${cited} ` : cited,
  )
  return apart.split(/(\[\d{1,3}\])/).map((piece) => {
    const number = Number(/^\[(\d{1,3})\]$/.exec(piece)?.[1])
    const source = find(number)
    return source ? <Citation number={number} source={source} /> : piece
  })
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  mdash: '—',
  ndash: '–',
}

/** `&lt;b&gt;` → `<b>`, which is also only text. */
function readEntities(text: string): string {
  return text.replace(/&(?:([a-z]{2,5})|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (whole, name, decimal, hex) => {
    if (name) return Object.hasOwn(entities, name) ? entities[name]! : whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}
