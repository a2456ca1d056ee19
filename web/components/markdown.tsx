// Markdown of answers as elements. The text is data: every element is made here, from a list of what may be, and text only ever
// becomes text nodes. Images, raw HTML and link definitions do not exist. Our own reader takes 3 KB where marked took 15 of the 48
// that the widget may have, and no text takes it long.
import { type ComponentChild, h } from 'preact'
import { readWebAddress } from './addresses.ts'
import { CodeBlock } from './copy.tsx'
import { type Block, readBlocks } from './markdown-blocks.ts'
import { type Inline, readInline } from './markdown-inline.ts'
import { Citation, OutwardLink } from './sources.tsx'
import type { Source } from './turn.ts'

/** A block so long that it is shown as it is. */
const maxBlockLength = 30_000
/** Blocks at the end of a draft that what comes next may still change. */
const unsettled = 2

interface Shown {
  /** Characters, with the blank lines after it. */
  length: number
  element: ComponentChild
}

/** Gives an element a block. */
export type MarkdownReader = (text: string, sources: Source[]) => ComponentChild[]

/** A reader of one text. Of a text that goes on it only reads the end anew: what is settled stays the same element. */
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
      // The line's end between it and the next.
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
      // Below the page's own headings, and never as large.
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
      const toCells = (cells: string[], name: 'th' | 'td') => (
        <tr>{cells.map((cell) => h(name, { dir: 'auto' }, toInline(cell, sources)))}</tr>
      )
      return (
        // A wide table is scrolled by keyboard, too.
        <div class="table" tabIndex={0}>
          <table>
            <thead>{toCells(block.header, 'th')}</thead>
            <tbody>{block.rows.map((row) => toCells(row, 'td'))}</tbody>
          </table>
        </div>
      )
    }
  }
}

/** The text of a tight list is no paragraph; `[x]` at its beginning is a box. */
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
  return text.split(/(\[\d{1,3}\])/).map((piece) => {
    const number = Number(/^\[(\d{1,3})\]$/.exec(piece)?.[1])
    const source = sources[number - 1]
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

/** `&lt;b&gt;` → `<b>`, which is text here as everything else. */
function readEntities(text: string): string {
  return text.replace(/&(?:([a-z]{2,5})|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (whole, name, decimal, hex) => {
    if (name) return Object.hasOwn(entities, name) ? entities[name]! : whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}
