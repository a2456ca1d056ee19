// Reads HTML by the standard's rules for what is broken, as browsers do, and tells a visitor what stands in it, in order.
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
