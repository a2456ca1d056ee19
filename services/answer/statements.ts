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
  held: Held
  quantities: Quantity[]
  units: Map<string, string>
  text: string
  /** Paragraph, to which its neighbours belong. */
  block: number
}

/** What stands in a text: what a name is found by, and what a plain word is. */
export interface Held {
  /** Names in full. */
  wholes: Set<string>
  /** These, their tails, and plain words. */
  keys: Set<string>
  /** These, and what plain words may be found by besides. */
  all: Set<string>
}

export interface ReadPassage {
  statements: Statement[]
  /** The title's name, without parameters: what the passage is about. */
  title: Statement
  /** The title in full. */
  signature: Statement
  /** Everything that it holds. */
  held: Held
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
    const lines = kind === 'paragraph' ? [whole.replace(/\n/gu, ' ')] : withNames(whole.split('\n'))
    for (const line of kind === 'code' ? [] : lines) {
      block++
      for (const [at, sentence] of splitSentences(line.replace(/^- /u, '')).entries()) {
        const isOfVersion = version !== undefined && at > 0
        if (isOfVersion) block++
        statements.push(toStatement(isOfVersion ? `${version} ${sentence.text}` : sentence.text, block))
      }
    }
    if (kind === 'code') statements.push(withoutKin(toStatement(whole, ++block)))
  }
  // The parameters of a signature are no subject: each is told of somewhere in the text.
  const shownTitle = toStatement(title.split(/\((?!\))/u)[0]!, -1)
  const signature = toStatement(title, -1)
  const all = [signature, ...statements].flatMap(({ claim }) => claim.terms)
  return {
    statements,
    title: shownTitle,
    signature,
    held: toHeld(all),
    squeezed: squeeze(text),
    language: languageOf(text),
  }
}

/** Words within the names of code say nothing. */
function withoutKin(statement: Statement): Statement {
  const { wholes, keys } = statement.held
  return { ...statement, held: { wholes, keys, all: keys } }
}

/** `- -n`, `- --dry-run: Removes nothing.` → one line: a name alone is another one of what follows. */
function withNames(lines: string[]): string[] {
  const joined: string[] = []
  let names = ''
  for (const line of lines) {
    if (/^- \S+(?: [<[]\S+)?$/u.test(line)) names += `${line.slice(2)}, `
    else {
      joined.push(names === '' ? line : `- ${names}${line.replace(/^- /u, '')}`)
      names = ''
    }
  }
  return names === '' ? joined : [...joined, names]
}

export function toStatement(text: string, block: number): Statement {
  const claim = readClaim(text)
  return {
    claim,
    held: toHeld(claim.terms),
    quantities: readQuantities(text),
    units: readUnits(text),
    text,
    block,
  }
}

export function withoutMarks(text: string): string {
  return text.replace(/\*\*/gu, '').replace(/\\([\\`*_[\]<>#|~()])/gu, '$1')
}

/** Letters alone, to compare quotes by. */
export function squeeze(text: string): string {
  return text.toLowerCase().replace(/[\s`*\\]+|[.:!?]+$/gu, '')
}

export function toHeld(terms: ClaimTerm[]): Held {
  const keys = new Set(terms.flatMap((term) => term.keys))
  const wholes = new Set(terms.flatMap((term) => (term.isName ? [term.root] : term.keys)))
  return { wholes, keys, all: new Set([...keys, ...terms.flatMap(({ kin }) => kin)]) }
}

/** `os.path.join` is `path.join`, and neither is `str.join`. */
export function holds({ wholes, keys, all }: Held, { keys: own, kin, root, isName }: ClaimTerm): boolean {
  if (isName) return keys.has(root) || own.some((key) => wholes.has(key))
  if (own.some((key) => all.has(key)) || kin.some((key) => all.has(key))) return true
  for (const other of sameAs(root)) if (all.has(other)) return true
  return false
}

export function holdsQuantity({ quantities }: Statement, { value, measure }: Quantity): boolean {
  return quantities.some((each) => (measure === null ? each.value === value : each.measure === measure))
}
