// Markdown of answers as elements. The text is data: marked only reads it; every element is made here, from a list of what
// may be, and text only ever becomes text nodes. Images, raw HTML and link definitions do not exist.
import { Marked, type Token, type Tokens } from 'marked'
import { type ComponentChild, h } from 'preact'
import { readWebAddress } from './addresses.ts'
import { CodeBlock } from './copy.tsx'
import { Citation, OutwardLink } from './sources.tsx'
import type { Source } from './turn.ts'

/** Characters read at a time, and a block so long that it is shown as it is: some texts take marked seconds. */
const step = 6_000
const maxBlockLength = 30_000
/** Blocks at the end of a draft that what comes next may still change: a list, the space after it, what follows. */
const unsettled = 3

const none = () => undefined
/** What is not read: `[1]: …` would turn citations into links to anywhere, a bare address is text. */
const unread = { def: none, reflink: none, html: none, tag: none, url: none }
const marked = new Marked({ tokenizer: unread })

interface Block {
  raw: string
  /** Null where there is nothing to show. */
  element: ComponentChild
}

/** Gives an element a block. */
export type MarkdownReader = (text: string, sources: Source[]) => ComponentChild[]

/** A reader of one text. Of a text that goes on it only reads the end anew: what is settled stays the same element. */
export function createMarkdownReader(): MarkdownReader {
  let done: { text: string; sources: Source[] | null; list: Block[] } = { text: '', sources: null, list: [] }

  function goOn(text: string, sources: Source[]) {
    const settled = done.list.slice(0, -unsettled)
    const from = settled.reduce((sum, { raw }) => sum + raw.length, 0)
    done = { sources, text, list: [...settled, ...readBlocks(text.slice(from), sources)] }
  }

  return (given, sources) => {
    const text = given.replace(/\r\n?/g, '\n')
    if (sources !== done.sources || !text.startsWith(done.text)) done = { text: '', sources, list: [] }
    while (done.text !== text) goOn(text.slice(0, done.text.length + step), sources)
    return done.list.flatMap(({ element }) => element ?? [])
  }
}

function readBlocks(text: string, sources: Source[]): Block[] {
  if (text.length > maxBlockLength) return [asItIs(text)]
  try {
    return marked.lexer(text).map((token) => ({ raw: token.raw, element: toBlock(token, sources) }))
  } catch {
    // So many levels that the stack ends.
    return [asItIs(text)]
  }
}

function asItIs(text: string): Block {
  return { raw: text, element: <p class="as-is">{text}</p> }
}

type Writers<Kind> = { [type: string]: (token: Kind, sources: Source[]) => ComponentChild }

/** The element of a block; null for what is none. */
function toBlock(token: Token, sources: Source[]): ComponentChild {
  return blocks[token.type]?.(token as never, sources) ?? null
}

const blocks: Writers<never> = {
  paragraph: ({ tokens }: Tokens.Paragraph, sources) => <p dir="auto">{toInline(tokens, sources)}</p>,
  // Below the page's own headings, and never as large.
  heading: ({ depth, tokens }: Tokens.Heading, sources) =>
    h(`h${Math.min(6, depth + 3)}`, { dir: 'auto' }, toInline(tokens, sources)),
  code: ({ text }: Tokens.Code) => <CodeBlock text={text} />,
  blockquote: ({ tokens }: Tokens.Blockquote, sources) => <blockquote>{toInner(tokens, sources)}</blockquote>,
  hr: () => <hr />,
  list({ ordered, start, items }: Tokens.List, sources) {
    const children = items.map(({ tokens }) => <li dir="auto">{toInner(tokens, sources)}</li>)
    if (!ordered) return <ul>{children}</ul>
    return Number.isSafeInteger(start) ? <ol start={Number(start)}>{children}</ol> : <ol>{children}</ol>
  },
  table({ header, rows }: Tokens.Table, sources) {
    const toCells = (cells: Tokens.TableCell[], name: 'th' | 'td') => (
      <tr>{cells.map(({ tokens }) => h(name, { dir: 'auto' }, toInline(tokens, sources)))}</tr>
    )
    return (
      // A wide table is scrolled by keyboard, too.
      <div class="table" tabIndex={0}>
        <table>
          <thead>{toCells(header, 'th')}</thead>
          <tbody>{rows.map((row) => toCells(row, 'td'))}</tbody>
        </table>
      </div>
    )
  },
}

/** Blocks within a block; the text of a tight list is no paragraph. */
function toInner(tokens: Token[], sources: Source[]): ComponentChild[] {
  return tokens.flatMap((token) => {
    if (token.type === 'checkbox') return [(token as Tokens.Checkbox).checked ? '☑ ' : '☐ ']
    const block = toBlock(token, sources)
    return block === null ? toInline([token], sources) : [block]
  })
}

const inlines: { [type: string]: (token: never, sources: Source[]) => ComponentChild[] } = {
  strong: ({ tokens }: Tokens.Strong, sources) => [<strong>{toInline(tokens, sources)}</strong>],
  em: ({ tokens }: Tokens.Em, sources) => [<em>{toInline(tokens, sources)}</em>],
  del: ({ tokens }: Tokens.Del, sources) => [<del>{toInline(tokens, sources)}</del>],
  codespan: ({ text }: Tokens.Codespan) => [<code dir="ltr">{text}</code>],
  br: () => [<br />],
  escape: ({ text }: Tokens.Escape) => [text],
  image: ({ text }: Tokens.Image) => [text],
  link({ href, tokens }: Tokens.Link, sources) {
    const address = readWebAddress(href)
    if (!address) return toInline(tokens, sources)
    return [<OutwardLink href={address}>{toInline(tokens, [])}</OutwardLink>]
  },
  text: ({ tokens, text }: Tokens.Text, sources) =>
    tokens ? toInline(tokens, sources) : toCited(readEntities(text), sources),
}

function toInline(tokens: Token[] | undefined, sources: Source[]): ComponentChild[] {
  return (tokens ?? []).flatMap((token) => inlines[token.type]?.(token as never, sources) ?? [])
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

/** `&lt;b&gt;` → `<b>`, which is text here as everything else; numbers have been read by marked. */
function readEntities(text: string): string {
  return text.replace(/&([a-z]{2,5});/g, (whole, name) =>
    Object.hasOwn(entities, name) ? entities[name]! : whole,
  )
}
