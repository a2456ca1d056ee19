// A passage as what can be quoted from it: sentences in their order, with the code and the lists that follow them.
import { type Claim, readClaim } from '../../answer/claim-terms.ts'
import { splitSentences } from '../../answer/sentences.ts'
import { continuation, readPassageText } from '../../search/passage-text.ts'
import type { ModelPassage } from '../model.ts'
import { isPlanted } from './planted.ts'

export interface QuotableSentence {
  text: string
  /** Of its passage. */
  label: number
  claim: Claim
  /** Paragraph, from 0 in the passage; of a list each item. */
  block: number
  isItem: boolean
  /** Takes up what was said before (`This …`): nothing without it. */
  leans: boolean
  /** Leads to what follows: ends in a colon. */
  leads: boolean
}

export interface QuotableCode {
  text: string
  block: number
}

export interface PassageParts {
  passage: ModelPassage
  /** Not the beginning of its section. */
  goesOn: boolean
  sentences: QuotableSentence[]
  code: QuotableCode[]
  /** Blocks of list items by the block that leads to them. */
  lists: { leadBlock: number; items: number[] }[]
}

/** What stands on pages and answers nothing: crumbs, notes on versions, credits, bare labels. */
const crumbs =
  /^(?:source code\b|new in version|changed in version|added in version|deprecated since|removed in version|\(?contributed by|\(?suggested by|see also|availability\s*:|previous\b|next\b|table of contents|home\b|copyright|last updated|edit this page|on this page|raises an auditing event|note\s*$|warning\s*$|caution\s*$|tip\s*$|important\s*$|parameters?\s*$|returns?\s*$|examples?\s*:?\s*$)/iu
const leaning =
  /^(?:if|when) (?:set|given|specified|omitted|true|false|not|provided|present|used|absent|supplied|enabled|disabled|empty|none)\b|^(?:(?:although|since|because|if|when|while|unlike|after|before|for|by|with|as|in) )?(?:this|these|those|such|it)\b|^(?:that|its|they|their|them|he|she|however|but|and|or|so|also|otherwise|therefore|thus|hence|then|instead|moreover|furthermore|additionally|conversely|similarly|likewise|consequently|in that|in other words|in addition|in contrast|as a result|for that|both|neither|the latter|the former|the same|the above|the following|another|here|note also|again|nevertheless|even so|on the other hand|as above|as before|finally|second|third|alternatively)\b/iu
/** `To remind users that it …`: what it is was said before. */
const earlyPronoun = /^(?:[^\s,]+ ){1,4}(?:it|this|they|them)\b/iu
/** Points at something that is not quoted with it. */
const pointing =
  /\b(?:above|below|as follows|following (?:example|code|table|section|list)|previous (?:section|example)|next section|earlier in this|later in this|shown here|see (?:section|chapter|figure|table))\b/iu
const longest = 420

export function readParts(passage: ModelPassage): PassageParts {
  const goesOn = passage.text.startsWith(continuation)
  const parts: PassageParts = { passage, goesOn, sentences: [], code: [], lists: [] }
  let block = 0
  let lead: number | null = null
  for (const { kind, text } of readPassageText(passage.text)) {
    if (kind === 'code') parts.code.push({ text, block })
    else if (text === continuation) continue
    else if (kind === 'paragraph') {
      addSentences(parts, text, block, false)
      lead = block
    } else if (kind === 'list') {
      const items = text.split(/\n(?=- )/u).map((item, at) => {
        addSentences(parts, item.replace(/^- /u, ''), block + at, true)
        return block + at
      })
      if (lead !== null) parts.lists.push({ leadBlock: lead, items })
      block += items.length
      lead = null
    }
    block++
  }
  return parts
}

function addSentences(
  { sentences, passage }: PassageParts,
  text: string,
  block: number,
  isItem: boolean,
): void {
  const whole = text.replace(/\s+/gu, ' ')
  if (crumbs.test(whole) || isPlanted(whole)) return
  for (const { text } of splitSentences(whole)) {
    if (crumbs.test(text) || isPlanted(text) || text.length > longest || !isWhole(text, isItem)) continue
    const shown = text.replace(/\s*\[\d{1,3}\]/gu, '').replace(/(?<=[.!?])\.$/u, '')
    sentences.push({
      text: shown,
      label: passage.label,
      claim: readClaim(shown),
      block,
      isItem,
      leans:
        leaning.test(shown) ||
        earlyPronoun.test(shown) ||
        pointing.test(shown) ||
        isCutOff(shown, passage.title),
      leads: /[:：]$/u.test(shown),
    })
  }
}

function isWhole(text: string, isItem: boolean): boolean {
  return isItem || /[.!?:。！？：][)\]"'”’」』]*$/u.test(text)
}

/** Begins small, and not with a name. */
function isCutOff(text: string, title: string): boolean {
  const first = /^\(|^(?<word>\p{Ll}[\p{L}\p{N}_.]*)/u.exec(text)
  const word = first?.groups?.word
  return first !== null && (word === undefined || (!/[_.]/u.test(word) && !title.includes(word)))
}

const mostCodeLines = 20

/** Short enough to be shown. */
export function isShort({ text }: QuotableCode): boolean {
  return text.split('\n').length <= mostCodeLines && text.length <= 1_200
}

/** Whether what the sentence leads to can be shown with it. */
export function leadsSomewhere({ code, lists }: PassageParts, { block }: QuotableSentence): boolean {
  return (
    code.some((each) => each.block === block + 1 && isShort(each)) ||
    lists.some(({ leadBlock }) => leadBlock === block)
  )
}

/** Ideographs count by pairs. */
export function wordsOf(text: string): number {
  const ideographs =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return text.split(/\s+/u).length + Math.floor(ideographs / 2)
}
