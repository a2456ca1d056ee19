// parse5's tokenizer, which reads sign by sign, with what most of a page is read at one step: text, and tags that are written
// plainly. Anything else is left to parse5, so the tree that comes of it is the same.
import { Token, Tokenizer, TokenizerMode } from 'parse5'
import { toOwnText } from './own-text.ts'

const whitespace = /[ \t\n\f]*/y
const untilMarkup = /[^<&]*/y
const startTag = /<([a-z][a-z0-9]*)/y
const attribute = /[ \t\n\f]+([a-z_][a-z0-9_:.-]*)(?:="([^"&]*)")?(?=[ \t\n\f/>])/y
const startTagEnd = /[ \t\n\f]*(\/?)>/y
const endTag = /<\/([a-z][a-z0-9]*)>/y
const lessThan = 0x3c
/** A tag with more is left to parse5, which tells in linear time that names differ. */
const maxAttributes = 32

/**
 * For text without carriage returns and null characters. What it overrides and calls is protected in parse5, and may change in any
 * release: package.json names parse5's exact version, and html-tokenizer.test.ts compares the two.
 */
export class PageTokenizer extends Tokenizer {
  override _stateData(codePoint: number): void {
    const isRead = codePoint === lessThan ? this.readStartTag() || this.readEndTag() : this.readText()
    if (!isRead) super._stateData(codePoint)
  }

  /** White space at the start is told by itself: outside of the body it is no text. */
  private readText(): boolean {
    const { html, codePointStart: start } = this.preprocessor
    const from = endOf(whitespace, html, start)
    const end = endOf(untilMarkup, html, from)
    if (end === start) return false
    const hasText = this.currentCharacterToken?.type === Token.TokenType.CHARACTER
    if (hasText) this.addText(Token.TokenType.CHARACTER, start, end)
    else {
      this.addText(Token.TokenType.WHITESPACE_CHARACTER, start, from)
      this.addText(Token.TokenType.CHARACTER, from, end)
    }
    this.preprocessor.pos = end - 1
    return true
  }

  private addText(type: Token.CharacterToken['type'], start: number, end: number): void {
    if (start === end) return
    this._ensureCharacterToken(type)
    this._flushRun(toOwnText(this.preprocessor.html.slice(start, end)))
  }

  private readStartTag(): boolean {
    const { html, pos } = this.preprocessor
    startTag.lastIndex = pos
    const name = startTag.exec(html)?.[1]
    if (name === undefined) return false
    let at = startTag.lastIndex
    const attrs: Token.Attribute[] = []
    for (attribute.lastIndex = at; ; at = attribute.lastIndex) {
      const found = attribute.exec(html)
      if (found === null) break
      if (attrs.length === maxAttributes) return false
      const [, attributeName, value = ''] = found
      if (attrs.some((known) => known.name === attributeName)) continue
      attrs.push({ name: attributeName!, value: toOwnText(value) })
    }
    startTagEnd.lastIndex = at
    const end = startTagEnd.exec(html)
    if (end === null) return false
    this.tell(Token.TokenType.START_TAG, name, startTagEnd.lastIndex, attrs, end[1] !== '')
    return true
  }

  private readEndTag(): boolean {
    endTag.lastIndex = this.preprocessor.pos
    const name = endTag.exec(this.preprocessor.html)?.[1]
    if (name === undefined) return false
    this.tell(Token.TokenType.END_TAG, name, endTag.lastIndex, [], false)
    return true
  }

  private tell(
    type: Token.TagToken['type'],
    tagName: string,
    end: number,
    attrs: Token.Attribute[],
    selfClosing: boolean,
  ): void {
    this._flushRun('')
    this.currentToken = {
      ...{ type, tagName, tagID: 0, attrs, selfClosing, ackSelfClosing: false, location: null },
    }
    this.preprocessor.pos = end - 1
    this.state = TokenizerMode.DATA
    this.emitCurrentTagToken()
  }
}

/** Where what a sticky pattern takes from a place on ends. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.test(text)
  return pattern.lastIndex
}
