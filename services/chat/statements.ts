// A passage as the check of citations reads it: its sentences with what each says.
import type { ModelPassage } from '../model/model.ts'
import { readPassageText } from '../search/passage-text.ts'
import { type Claim, type ClaimTerm, readClaim } from './claim-terms.ts'
import { type Language, languageOf } from './language.ts'
import { type Quantity, readQuantities, readUnits } from './quantities.ts'
import { splitSentences } from './sentences.ts'
import { sameAs } from './word-relations.ts'

export interface Statement {
  claim: Claim
  keys: Set<string>
  quantities: Quantity[]
  units: Map<string, string>
  text: string
  /** Paragraph, to which its neighbours belong. */
  block: number
}

export interface ReadPassage {
  statements: Statement[]
  /** The title's name, without parameters: what the passage is about. */
  title: Statement
  /** The title in full. */
  signature: Statement
  /** Everything that it holds. */
  keys: Set<string>
  /** Its letters, to find quotes in. */
  squeezed: string
  language: Language
}

export function readPassage({ title, text }: Pick<ModelPassage, 'title' | 'text'>): ReadPassage {
  const statements: Statement[] = []
  let block = 0
  for (const { kind, text: whole } of readPassageText(text)) {
    // What is said of a version holds for each sentence of its paragraph, which has nothing else to do with the others.
    const version = /^(?:New|Changed|Added|Deprecated|Removed)\b[^:.]*\d[\d.]*\d?:/u.exec(whole)?.[0]
    const lines = kind === 'paragraph' ? [whole.replace(/\n/gu, ' ')] : whole.split('\n')
    for (const line of kind === 'code' ? [] : lines) {
      block++
      for (const [at, sentence] of splitSentences(line.replace(/^- /u, '')).entries()) {
        const isOfVersion = version !== undefined && at > 0
        if (isOfVersion) block++
        statements.push(toStatement(isOfVersion ? `${version} ${sentence.text}` : sentence.text, block))
      }
    }
    if (kind === 'code') statements.push(toStatement(whole, ++block))
  }
  // The parameters of a signature are no subject: each is told of somewhere in the text.
  const shownTitle = toStatement(title.split(/\((?!\))/u)[0]!, -1)
  const signature = toStatement(title, -1)
  const keys = new Set([signature, ...statements].flatMap(({ keys }) => [...keys]))
  return {
    statements,
    title: shownTitle,
    signature,
    keys,
    squeezed: squeeze(text),
    language: languageOf(text),
  }
}

export function toStatement(text: string, block: number): Statement {
  const claim = readClaim(text)
  const keys = new Set(claim.terms.flatMap(({ keys }) => keys))
  return { claim, keys, quantities: readQuantities(text), units: readUnits(text), text, block }
}

export function withoutMarks(text: string): string {
  return text.replace(/\*\*/gu, '').replace(/\\([\\`*_[\]<>#|~()])/gu, '$1')
}

/** Letters alone, to compare quotes by. */
export function squeeze(text: string): string {
  return text.toLowerCase().replace(/[\s`*\\]+|[.:!?]+$/gu, '')
}

export function holds(keys: Set<string>, { keys: own, root, isName }: ClaimTerm): boolean {
  if (own.some((key) => keys.has(key))) return true
  if (isName) return false
  for (const other of sameAs(root)) if (keys.has(other)) return true
  return false
}

export function holdsQuantity({ quantities }: Statement, { value, measure }: Quantity): boolean {
  return quantities.some((each) => (measure === null ? each.value === value : each.measure === measure))
}
