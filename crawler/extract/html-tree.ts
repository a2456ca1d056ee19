// Parses an HTML page into events, and has the element rules of the HTML standard.
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  Parser,
  Token,
  TokenizerMode,
} from 'parse5'

export interface HtmlVisitor {
  open(name: string, attribs: Record<string, string>): void
  /** Closes the innermost open element. */
  close(): void
  text(data: string): void
  comment(data: string): void
}

/** Maximum depth of elements with content. Deeper elements are empty, and their text belongs to the last level. */
export const maxDepth = 256

/**
 * `_reconstructActiveFormattingElements` and `ackSelfClosing` are internals of parse5, which may change in any release:
 * package.json has an exact version, and html-tree.test.ts fails if they are no longer used.
 */
class PageParser extends Parser<DefaultTreeAdapterMap> {
  isXhtml = false

  /**
   * A browser continues an unclosed `<b>` and the like in all following paragraphs. Without this, no text is lost, and n
   * of them in n paragraphs do not become n² elements.
   */
  override _reconstructActiveFormattingElements(): void {}

  /** XHTML has `<a name="x"/>`. Parsed as HTML, it would stay open to the end of the page. */
  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token)
    if (!this.isXhtml || !token.selfClosing || token.ackSelfClosing) return
    this.onEndTag({ ...token, type: Token.TokenType.END_TAG, selfClosing: false, attrs: [] })
    // After `<script/>` or `<title/>`, the tokenizer would read plain text up to an end tag.
    this.tokenizer.state = TokenizerMode.DATA
  }
}

function parse(html: string): DefaultTreeAdapterTypes.Document {
  const parser = new PageParser()
  parser.isXhtml = html.startsWith('<?xml')
  parser.tokenizer.write(html.replaceAll(/\r\n?/g, '\n'), true)
  return parser.document
}

const { isTextNode, isCommentNode, isElementNode } = defaultTreeAdapter

/** Accepts any text. Time and memory are linear in its length. */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
  const open: DefaultTreeAdapterTypes.ParentNode[] = [parse(html)]
  /** Index of the next child of each open node. */
  const next = [0]
  while (open.length > 0) {
    const depth = open.length
    const node = open[depth - 1]!.childNodes[next[depth - 1]!++]
    if (node === undefined) {
      open.pop()
      next.pop()
      if (depth > 1 && depth <= maxDepth + 1) visitor.close()
    } else if (isTextNode(node)) visitor.text(node.value)
    else if (isCommentNode(node)) visitor.comment(node.data)
    else if (isElementNode(node)) {
      visitor.open(node.tagName, Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])))
      if (depth > maxDepth) visitor.close()
      open.push(node)
      next.push(0)
    }
  }
}

const blocks = `address article aside blockquote center details dir div dl fieldset figcaption figure footer header hgroup
  main menu nav ol pre section summary ul`
const headings = 'h1 h2 h3 h4 h5 h6'

/** Elements that are more than inline text, by their rules in HTML. */
const traits = {
  /** No content, no end tag. */
  isVoid: 'area base br col embed hr img input link meta param source track wbr',
  mayBeInHead: 'base link meta noscript script style title',
  /** Content is text up to the end tag, with character references only in `hasReferences`. */
  isRaw: 'iframe noscript script style textarea title',
  hasReferences: 'textarea title',
  /** A line break at the very start is ignored. */
  dropsLineEnd: 'pre textarea',
  /** The start ends an open paragraph. */
  endsParagraph: `${blocks} ${headings} p li dd dt form hr table`,
  /** The end tag also ends elements in `mayStayOpen`. */
  endsOpen: `${blocks} ${headings} td th tr tbody tfoot thead table li dd dt form button caption object`,
  mayStayOpen: 'p li dd dt',
  /** Its content does not end a paragraph around it. */
  isScope: 'td th html table caption object button',
  /** Cannot be nested in an element of the same name. */
  isSingle: 'a button form',
  isHeading: headings,
  isTablePart: 'td th caption col colgroup tbody tfoot thead tr',
  /** Have special rules, which only parse5 implements. */
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
/** Part of a table → its allowed children, besides white space and comments. */
export const tableContent = new Map<string, Set<string>>([
  ['table', new Set(['caption', 'colgroup', ...groups])],
  ['colgroup', new Set(['col'])],
  ...groups.map((group) => [group, new Set(['tr'])] as const),
  ['tr', new Set(['td', 'th'])],
])
/** Part of a table without an end tag → start tags that end it. */
export const endedBy = new Map<string, Set<string>>([
  ['colgroup', new Set(['caption', 'colgroup', 'tr', ...groups])],
  ...groups.map((group) => [group, new Set(groups)] as const),
])
/** Item → elements in which no other item is open. */
export const parents = new Map<string, Set<string>>([
  ['li', new Set(['ul', 'ol', 'menu'])],
  ['dd', new Set(['dl'])],
  ['dt', new Set(['dl'])],
])
