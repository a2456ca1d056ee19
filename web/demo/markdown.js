// Markdown of answers as nodes. The text is data: marked only reads it; every element is made here, from a list of what
// may be, and text only ever becomes text nodes. Images, raw HTML and link definitions do not exist.
import { make } from './dom.js'

/** Characters read at a time, and a block so long that it is shown as it is: some texts take marked seconds. */
const step = 6_000
const maxBlockLength = 30_000
/** Blocks at the end of a draft that what comes next may still change: a list, the space after it, what follows. */
const unsettled = 3

const none = () => undefined
/** What is not read: `[1]: …` would turn citations into links to anywhere, a bare address is text. */
const unread = { def: none, reflink: none, html: none, tag: none, url: none }

/**
 * `Marked`: the class of that name. Answers a maker of readers; a reader `toNodes(text, sources)` gives a node a block,
 * and of a text that goes on the last one's only reads the end anew: what is settled stays the same node.
 */
export function createMarkdown(Marked) {
  const marked = new Marked({ tokenizer: unread })

  /** `{raw, node}` for each block; the node is null where there is nothing to show. */
  function read(text, sources) {
    if (text.length > maxBlockLength) return [asItIs(text)]
    try {
      return marked
        .lexer(text)
        .map((token) => ({ raw: token.raw, node: blocks[token.type]?.(token, sources) ?? null }))
    } catch {
      // So many levels that the stack ends.
      return [asItIs(text)]
    }
  }

  return function createReader() {
    let done = { text: '', sources: null, list: [] }

    function goOn(text) {
      const settled = done.list.slice(0, -unsettled)
      const from = settled.reduce((sum, { raw }) => sum + raw.length, 0)
      done = { ...done, text, list: [...settled, ...read(text.slice(from), done.sources)] }
    }

    return function toNodes(given, sources) {
      const text = given.replace(/\r\n?/g, '\n')
      if (sources !== done.sources || !text.startsWith(done.text)) done = { text: '', sources, list: [] }
      while (done.text !== text) goOn(text.slice(0, done.text.length + step))
      return done.list.flatMap(({ node }) => node ?? [])
    }
  }
}

function asItIs(text) {
  return { raw: text, node: make('p', { class: 'as-is' }, text) }
}

const blocks = {
  paragraph: (token, sources) => make('p', {}, ...inline(token.tokens, sources)),
  // Below the page's own headings, and never as large.
  heading: ({ depth, tokens }, sources) => make(`h${Math.min(6, depth + 3)}`, {}, ...inline(tokens, sources)),
  code: ({ text }) => make('pre', { tabindex: '0' }, make('code', {}, text)),
  blockquote: ({ tokens }, sources) => make('blockquote', {}, ...inner(tokens, sources)),
  hr: () => make('hr'),
  list({ ordered, start, items }, sources) {
    const from = ordered && Number.isSafeInteger(start) ? { start } : {}
    return make(ordered ? 'ol' : 'ul', from, ...items.map((item) => listItem(item, sources)))
  },
  table({ header, rows }, sources) {
    const row = (cells, name) =>
      make('tr', {}, ...cells.map(({ tokens }) => make(name, {}, ...inline(tokens, sources))))
    return make(
      'div',
      { class: 'table', tabindex: '0' },
      make(
        'table',
        {},
        make('thead', {}, row(header, 'th')),
        make('tbody', {}, ...rows.map((each) => row(each, 'td'))),
      ),
    )
  },
}

function listItem({ tokens }, sources) {
  return make('li', {}, ...inner(tokens, sources))
}

/** Blocks within a block; the text of a tight list is no paragraph. */
function inner(tokens, sources) {
  return tokens.flatMap((token) => {
    if (token.type === 'checkbox') return [token.checked ? '☑ ' : '☐ ']
    const node = blocks[token.type]?.(token, sources)
    return node ? [node] : inline([token], sources)
  })
}

const inlines = {
  strong: (token, sources) => [make('strong', {}, ...inline(token.tokens, sources))],
  em: (token, sources) => [make('em', {}, ...inline(token.tokens, sources))],
  del: (token, sources) => [make('del', {}, ...inline(token.tokens, sources))],
  codespan: ({ text }) => [make('code', {}, text)],
  br: () => [make('br')],
  escape: ({ text }) => [text],
  image: ({ text }) => [text],
  link({ href, tokens }, sources) {
    const children = inline(tokens, [])
    const address = webAddress(href)
    return address ? [outwardLink({ href: address }, ...children)] : inline(tokens, sources)
  },
  text: ({ tokens, text }, sources) =>
    tokens ? inline(tokens, sources) : cited(readEntities(text), sources),
}

function inline(tokens, sources) {
  return tokens.flatMap((token) => inlines[token.type]?.(token, sources) ?? [])
}

/**
 * Text with its citations as links.
 *
 *   "Use a timeout [2]." → "Use a timeout ", <a href="(second source)">2</a>, "."
 */
function cited(text, sources) {
  return text.split(/(\[\d{1,3}\])/).map((piece) => {
    const number = /^\[(\d{1,3})\]$/.exec(piece)?.[1]
    const source = number && sources[Number(number) - 1]
    if (!source) return piece
    const label = `Source ${number}: ${source.title}`
    const address = webAddress(source.url)
    if (!address) return make('span', { class: 'cite', title: label }, number)
    return outwardLink({ class: 'cite', href: address, title: source.title, 'aria-label': label }, number)
  })
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', mdash: '—', ndash: '–' }

/** `&lt;b&gt;` → `<b>`, which is text here as everything else; numbers have been read by marked. */
function readEntities(text) {
  return text.replace(/&([a-z]{2,5});/g, (whole, name) =>
    Object.hasOwn(entities, name) ? entities[name] : whole,
  )
}

/** A link that leaves the conversation where it is and tells the other side nothing. */
export function outwardLink(attributes, ...children) {
  return make('a', { ...attributes, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children)
}

/** The address when a browser may be sent there, else null. */
export function webAddress(text) {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text) ? text : null
}
