// A passage as what can be quoted from it: sentences in their order, with the code and the lists that follow them.
import { type Claim, readClaim } from '../../chat/claim-terms.ts'
import { splitSentences } from '../../chat/sentences.ts'
import { readPassageText } from '../../search/passage-text.ts'
import type { ModelPassage } from '../model.ts'
import { isPlanted } from './planted.ts'

export interface QuotableSentence {
  text: string
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
  sentences: QuotableSentence[]
  code: QuotableCode[]
  /** Blocks of list items by the block that leads to them. */
  lists: { leadBlock: number; items: number[] }[]
}

/** What stands on pages and answers nothing: crumbs, notes on versions, credits, bare labels. */
const crumbs =
  /^(?:source code\b|new in version|changed in version|added in version|deprecated since|removed in version|\(?contributed by|\(?suggested by|see also|availability\s*:|previous\b|next\b|table of contents|home\b|copyright|last updated|edit this page|on this page|raises an auditing event|note\s*$|warning\s*$|caution\s*$|tip\s*$|important\s*$|parameters?\s*$|returns?\s*$|examples?\s*:?\s*$)/iu
const leaning =
  /^(?:(?:although|since|because|if|when|while|unlike|after|before|for|by|with|as|in) )?(?:this|these|those|such|it)\b|^(?:that|its|they|their|them|he|she|however|but|and|or|so|also|otherwise|therefore|thus|hence|then|instead|moreover|furthermore|additionally|conversely|similarly|likewise|consequently|in that|in other words|in addition|in contrast|as a result|for that|both|neither|the latter|the former|the same|the above|the following|another|here|note also|again|nevertheless|even so|on the other hand|as above|as before|finally|second|third|alternatively)\b/iu
/** Points at something that is not quoted with it. */
const pointing =
  /\b(?:above|below|as follows|following (?:example|code|table|section|list)|previous (?:section|example)|next section|earlier in this|later in this|shown here|see (?:section|chapter|figure|table))\b/iu
const longest = 420

export function readParts(passage: ModelPassage): PassageParts {
  const parts: PassageParts = { passage, sentences: [], code: [], lists: [] }
  let block = 0
  let lead: number | null = null
  for (const { kind, text } of readPassageText(passage.text)) {
    if (kind === 'code') parts.code.push({ text, block })
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
    const shown = text.replace(/\s*\[\d{1,3}\]/gu, '')
    sentences.push({
      text: shown,
      claim: readClaim(shown),
      block,
      isItem,
      leans: leaning.test(shown) || pointing.test(shown) || isCutOff(shown, passage.title),
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
