// The tree of an HTML page, and what the standard says of its elements.
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  Parser,
  Token,
  TokenizerMode,
} from 'parse5'

export interface HtmlVisitor {
  open(name: string, attribs: Record<string, string>): void
  /** The end of the element that was opened last and is not closed yet. */
  close(): void
  text(data: string): void
  comment(data: string): void
}

/** Deepest level told as an element with content; deeper ones are empty, and their text counts to the last. */
export const maxDepth = 256

/**
 * What it overrides and reads (`_reconstructActiveFormattingElements`, `ackSelfClosing`) is internal to parse5, which may change
 * it in any release: package.json names parse5's exact version, and html-tree.test.ts fails where these are asked no more.
 */
class PageParser extends Parser<DefaultTreeAdapterMap> {
  isXhtml = false

  /**
   * A browser goes on with `<b>` and the like in the paragraphs after one that did not end them. Nothing is lost without that,
   * and n of them in n paragraphs are no n² elements.
   */
  override _reconstructActiveFormattingElements(): void {}

  /** XHTML writes `<a name="x"/>`: read as HTML it would stay open to the end of the page. */
  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token)
    if (!this.isXhtml || !token.selfClosing || token.ackSelfClosing) return
    this.onEndTag({ ...token, type: Token.TokenType.END_TAG, selfClosing: false, attrs: [] })
    // The start of `<script/>` or `<title/>` told the tokenizer that plain text follows up to an end tag.
    this.tokenizer.state = TokenizerMode.DATA
  }
}

function parse(html: string): DefaultTreeAdapterTypes.Document {
  const parser = new PageParser()
  parser.isXhtml = html.startsWith('<?xml')
  parser.tokenizer.write(html.replaceAll(/\r\n?/g, '\n'), true)
  return parser.document
}

type Node = DefaultTreeAdapterTypes.ChildNode

function toAttribs({ attrs }: DefaultTreeAdapterTypes.Element): Record<string, string> {
  const attribs: Record<string, string> = {}
  for (const { name, value } of attrs) attribs[name] = value
  return attribs
}

const isText = (node: Node): node is DefaultTreeAdapterTypes.TextNode => node.nodeName === '#text'
const isComment = (node: Node): node is DefaultTreeAdapterTypes.CommentNode => node.nodeName === '#comment'
const isElement = (node: Node): node is DefaultTreeAdapterTypes.Element => node.nodeName !== '#documentType'

/** Takes any text; time and memory are linear in its length. */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
  const open: DefaultTreeAdapterTypes.ParentNode[] = [parse(html)]
  /** Place of the next child in each of those. */
  const next = [0]
  while (open.length > 0) {
    const depth = open.length
    const node = open[depth - 1]!.childNodes[next[depth - 1]!++]
    if (node === undefined) {
      open.pop()
      next.pop()
      if (depth > 1 && depth <= maxDepth + 1) visitor.close()
    } else if (isText(node)) visitor.text(node.value)
    else if (isComment(node)) visitor.comment(node.data)
    else if (isElement(node)) {
      visitor.open(node.tagName, toAttribs(node))
      if (depth > maxDepth) visitor.close()
      open.push(node)
      next.push(0)
    }
  }
}

const blocks = `address article aside blockquote center details dir div dl fieldset figcaption figure footer header hgroup
  main menu nav ol pre section summary ul`
const headings = 'h1 h2 h3 h4 h5 h6'

/** The elements that are not simply text in a line, by what HTML's rules say of them. */
const traits = {
  /** No content, no end tag. */
  isVoid: 'area base br col embed hr img input link meta param source track wbr',
  mayBeInHead: 'base link meta noscript script style title',
  /** Content is text up to the end tag, in the second ones with references. */
  isRaw: 'iframe noscript script style textarea title',
  hasReferences: 'textarea title',
  /** A line's end at the very start is none of the text. */
  dropsLineEnd: 'pre textarea',
  /** The start ends an open paragraph. */
  endsParagraph: `${blocks} ${headings} p li dd dt form hr table`,
  /** The end ends what may stay open. */
  endsOpen: `${blocks} ${headings} td th tr tbody tfoot thead table li dd dt form button caption object`,
  mayStayOpen: 'p li dd dt',
  /** A paragraph around it is not ended by what stands in it. */
  isScope: 'td th html table caption object button',
  /** Not within one of the same name. */
  isSingle: 'a button form',
  isHeading: headings,
  isTablePart: 'td th caption col colgroup tbody tfoot thead tr',
  /** Have rules of their own, which parse5 knows. */
  isOther: `applet basefont bgsound body dialog frame frameset head html image keygen listing marquee math nobr noembed noframes
    optgroup option plaintext rb rp rt rtc ruby search select template xmp`,
}
export type Traits = Record<keyof typeof traits, boolean>

export const inLine = Object.fromEntries(Object.keys(traits).map((trait) => [trait, false])) as Traits
export const elements = new Map<string, Traits>()
for (const [trait, names] of Object.entries(traits)) {
  for (const name of names.split(/\s+/))
    elements.set(name, { ...(elements.get(name) ?? inLine), [trait]: true })
}
export const rawEnds = new Map(
  traits.isRaw.split(' ').map((name) => [name, new RegExp(`</${name}(?=[ \\t\\n\\f/>])`, 'gi')]),
)

const groups = ['tbody', 'tfoot', 'thead']
/** What a part of a table holds, besides white space and comments. */
export const tableContent = new Map<string, Set<string>>([
  ['table', new Set(['caption', 'colgroup', ...groups])],
  ['colgroup', new Set(['col'])],
  ...groups.map((group) => [group, new Set(['tr'])] as const),
  ['tr', new Set(['td', 'th'])],
])
/** What ends an element that has no end tag: the next of its kind, or what begins behind the element around it. */
export const endedBy = new Map<string, Set<string>>([
  ...groups.map((group) => [group, new Set(groups)] as const),
  ['tr', new Set(['tr', ...groups])],
  ['td', new Set(['td', 'th', 'tr', ...groups])],
  ['th', new Set(['td', 'th', 'tr', ...groups])],
])
export const endsCells = new Set(['table', 'tr', ...groups])
/** An item ends the last of these that is open in the same list. */
export const itemsBefore = new Map<string, Set<string>>([
  ['li', new Set(['li'])],
  ['dd', new Set(['dd', 'dt'])],
  ['dt', new Set(['dd', 'dt'])],
])
/** Blocks beyond which an item is still looked for; any other may be in a list of its own. */
export const withinItem = new Set(['address', 'div', 'p'])
