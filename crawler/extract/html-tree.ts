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
  parser.tokenizer.write(html, true)
  return parser.document
}

function toAttribs({ attrs }: DefaultTreeAdapterTypes.Element): Record<string, string> {
  const attribs: Record<string, string> = {}
  for (const { name, value } of attrs) attribs[name] = value
  return attribs
}

interface Level {
  nodes: DefaultTreeAdapterTypes.ChildNode[]
  next: number
}

/** Takes any text; time and memory are linear in its length. */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
  const levels: Level[] = [{ nodes: parse(html).childNodes, next: 0 }]
  while (levels.length > 0) {
    const level = levels[levels.length - 1]!
    const node = level.nodes[level.next++]
    if (node === undefined) {
      levels.pop()
      if (levels.length > 0 && levels.length <= maxDepth) visitor.close()
    } else if ('value' in node) visitor.text(node.value)
    else if ('data' in node) visitor.comment(node.data)
    else if ('tagName' in node) {
      visitor.open(node.tagName, toAttribs(node))
      if (levels.length > maxDepth) visitor.close()
      levels.push({ nodes: node.childNodes, next: 0 })
    }
  }
}
