// Whether a passage supports a sentence of an answer. Facts first: every number and every name in code of the sentence must be
// in the passage. Then similarity, unless the citation quotes the passage: a part of the passage must be similar to the
// sentence, by meaning or by words.
//
//   claim     "`get()` is tried again for 300 seconds."
// passage   "get(url) … A call that fails is tried again for 300 seconds."    has number and name, and is similar
// "get(url) … A call that fails is tried again."                    lacks 300
import { setImmediate } from 'node:timers/promises'
import type { EmbeddingsConfig } from '../config.ts'
import { eachWord, fold, stem, toPairs } from '../index/analyze.ts'
import { localModels } from '../model/local/models.ts'
import type { ModelPassage } from '../model/model.ts'
import type { Similarities } from '../search/meaning.ts'
import type { Language, ReadLanguages } from './replies.ts'
import { codeSpans, replaceSpans, type Sentence, toSentences } from './sentences.ts'
import { shorten } from './titles.ts'

export type Claim = Pick<Sentence, 'kind' | 'text'>
type PassageText = Pick<ModelPassage, 'title' | 'text'>

export interface Pair {
  claim: Claim
  passage: PassageText
  /** Whether the citation quotes enough words of the passage. Similarity does not matter then. */
  isQuoted?: boolean
}

export interface Judge {
  /** The objection to each pair, in order, or null. Never throws. */
  toObjections(pairs: Pair[], signal: AbortSignal): Promise<(string | null)[]>
  readEvidence(pairs: Pair[]): Promise<Evidence[]>
  /** Whether it calls the language model, once for all pairs of an answer. */
  isCostly: boolean
}

/** A verdict per pair, in order. Null if not judged. */
export type Verify = (pairs: Pair[], signal: AbortSignal) => Promise<(boolean | null)[]>

/** A model that compares texts by meaning. Only models of known scale are used, otherwise words decide. */
export interface Meaning {
  similarities: Similarities
  /** Languages that it knows, as ISO 639-1. Null: all. */
  languages: string[] | null
  /** Minimum cosine of a claim and its most similar window. */
  minSimilarity: number
}

/** By model name. `npm run bench -- fit-check` fits this value and the next to all sets except the held-out ones. */
export const minSimilarities: Record<string, number> = { 'all-minilm-l6-v2': 0.55 }
/** Share of a claim's words, weighted by idf in the passage, that the most similar window must have. */
export const minShare = 0.25

export function toMeaning(config: EmbeddingsConfig | null, similarities: Similarities): Meaning | null {
  const model = config && 'local' in config && localModels.find(({ name }) => name === config.local)
  const minSimilarity = model && minSimilarities[model.name]
  return minSimilarity ? { similarities, languages: model.languages, minSimilarity } : null
}

/** Share of the words of code that a passage must have. Chosen by hand, like `titleWeight`. */
const minCodeShare = 0.7
/** In characters. */
const maxClaim = 2_000
const maxPassage = 20_000
/** Characters of a passage used to detect its language. */
const maxLanguageSample = 1_000
const maxSentences = 300
/** Adjacent sentences that may support a claim together, and windows that a claim is compared with. */
const maxWindow = 3
const maxCompared = 3
/** Weight of a word of the title, relative to one of the window. */
const titleWeight = 0.5

/** Results of facts and words for a pair. */
export interface Evidence {
  /** Language of the passage (ISO 639-1). */
  language: string
  /** A number or name that the passage lacks, or null. */
  mismatch: string | null
  /** The windows most similar to the claim by words, best first. Empty if the languages differ. */
  windows: string[]
  /** Share of the claim in the best window. 1 if the languages differ, because words prove nothing then. */
  share: number
}

/**
 * Checks facts, then calls the language model if it verifies, else compares similarity, unless words are quoted: by meaning
 * if a model knows the language, otherwise by words.
 */
export function createJudge(
  meaning: Meaning | null,
  verify: Verify | null,
  readLanguages: ReadLanguages,
): Judge {
  return {
    isCostly: verify !== null,
    readEvidence: (pairs) => readEvidence(pairs, readLanguages),
    async toObjections(pairs, signal) {
      const evidence = await readEvidence(pairs, readLanguages)
      const objections = evidence.map(({ mismatch }) => mismatch)
      const open = [...pairs.keys()].filter((at) => objections[at] === null)
      const openPairs = open.map((at) => pairs[at]!)
      const verdicts = (await verify?.(openPairs, signal)) ?? open.map(() => null)
      const unjudged = open.filter((at, n) => verdicts[n] === null && !pairs[at]!.isQuoted)
      const similarities = await compare(
        unjudged.map((at) => [pairs[at]!, evidence[at]!]),
        meaning,
      )
      const refuted = open.filter((_, n) => verdicts[n] === false)
      for (const at of refuted) objections[at] = 'the language model finds no support'
      for (const [n, at] of unjudged.entries()) {
        const similarity = similarities[n] ?? null
        const isNear =
          similarity === null ? evidence[at]!.share >= minShare : similarity >= meaning!.minSimilarity
        if (!isNear) objections[at] = 'the passage does not say this'
      }
      return objections
    },
  }
}

/** Cosine of each claim and its most similar window. Null without a model that knows the language. */
export async function compare(
  pairs: [Pair, Evidence][],
  meaning: Meaning | null,
): Promise<(number | null)[]> {
  const isKnown = (language: string) => meaning?.languages?.includes(language) ?? meaning !== null
  const texts = pairs.map(([{ claim }, { language, windows }]) => ({
    text: claim.text,
    others: isKnown(language) ? windows : [],
  }))
  const found = texts.some(({ others }) => others.length > 0) ? await meaning!.similarities(texts) : null
  return texts.map((_, at) => (found?.[at]?.length ? Math.max(...found[at]!) : null))
}

/** Reads each passage once. Other work may run after each. */
export async function readEvidence(pairs: Pair[], readLanguages: ReadLanguages): Promise<Evidence[]> {
  const [claims, passages] = [pairs.map(({ claim }) => claim), pairs.map(({ passage }) => passage)]
  const samples = [...claims.map(toClaimSample), ...passages.map(toPassageSample)]
  const distinct = [...new Set(samples)]
  const detected = await readLanguages(distinct)
  const languages = new Map(distinct.map((sample, at) => [sample, detected[at] ?? null]))
  const readings = new Map<PassageText, Reading>()
  for (const passage of new Set(passages)) {
    readings.set(passage, readPassage(passage, languages.get(toPassageSample(passage)) ?? 'en'))
    await setImmediate()
  }
  return pairs.map(({ claim, passage }) =>
    weighEvidence(claim, languages.get(toClaimSample(claim)) ?? null, readings.get(passage)!),
  )
}

/** The text for language detection, without code. */
function toClaimSample({ kind, text }: Claim): string {
  return kind === 'code' || text.length > maxClaim ? '' : text
}

function toPassageSample({ text }: PassageText): string {
  return text.slice(0, maxLanguageSample)
}

type Reading = ReturnType<typeof readPassage>

function readPassage({ title, text }: PassageText, language: Language) {
  const shown = text.slice(0, maxPassage)
  const whole = `${title}\n${shown}`
  const sentences = toSentences(shown)
    .slice(0, maxSentences)
    .map(({ text }) => ({ text, words: new Set(readWords(text)) }))
  const titleWords = new Set(readWords(title))
  const counts = new Map<string, number>()
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return {
    language,
    sentences,
    titleWords,
    words: new Set([...titleWords, ...counts.keys()]),
    tokens: new Set(readTokens(whole)),
    numbers: new Set(readNumbers(whole)),
    idf: (word: string) => Math.log(1 + (sentences.length + 1) / ((counts.get(word) ?? 0) + 0.5)),
  }
}

/** `own`: the language of the claim. Null if unknown, and then assumed to be that of the passage. */
function weighEvidence({ kind, text }: Claim, own: Language | null, passage: Reading): Evidence {
  const nothing = { language: passage.language, windows: [], share: 0 }
  if (text.length > maxClaim) return { ...nothing, mismatch: 'is too long to be checked' }
  const words = [...new Set(readWords(text))]
  if (words.length === 0) return { ...nothing, mismatch: 'says nothing that could be checked' }
  if (kind === 'code') {
    const held = words.filter((word) => passage.words.has(word)).length
    const mismatch = held / words.length >= minCodeShare ? null : 'the passage does not hold this code'
    return { ...nothing, mismatch, share: 1 }
  }
  const language = own ?? passage.language
  const mismatch = findMissing(text, passage)
  if (language !== passage.language) return { ...nothing, mismatch, share: 1 }
  return { language, mismatch, ...nearestWindows(words, passage) }
}

function findMissing(text: string, { numbers, words, tokens }: Reading): string | null {
  const number = readNumbers(text).find((each) => !numbers.has(each))
  if (number !== undefined) return `the passage does not say ${number}`
  const isHeld = (token: string) => tokens.has(token) || words.has(stem(token))
  const name = readNames(text).find((each) => !readTokens(each).every(isHeld))
  return name === undefined ? null : `the passage does not name ${name}`
}

function nearestWindows(words: string[], { sentences, titleWords, idf }: Reading) {
  const weights = words.map(idf)
  const ofTitle = words.map((word, at) => (titleWords.has(word) ? titleWeight * weights[at]! : 0))
  const total = sum(weights)
  const windows: { from: number; size: number; share: number }[] = []
  for (let from = 0; from < sentences.length; from++) {
    const held = [...ofTitle]
    for (let size = 1; size <= maxWindow && from + size <= sentences.length; size++) {
      const added = sentences[from + size - 1]!.words
      for (const [at, word] of words.entries()) if (added.has(word)) held[at] = weights[at]!
      windows.push({ from, size, share: sum(held) / total })
    }
  }
  windows.sort((a, b) => b.share - a.share || a.size - b.size)
  const toText = ({ from, size }: { from: number; size: number }) =>
    Array.from({ length: size }, (_, n) => sentences[from + n]!.text).join(' ')
  return { share: windows[0]?.share ?? 0, windows: windows.slice(0, maxCompared).map(toText) }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** One stem per word, so that each counts once. `os.path` and `--dry-run` are two each. Ideographs count in pairs. */
export function readWords(text: string): string[] {
  const words: string[] = []
  eachWord(text, (start, end, isCjk) => {
    const word = text.slice(start, end)
    const parts = isCjk ? toPairs(word) : (fold(word).match(/[\p{L}\p{N}]+/gu) ?? []).map(stem)
    for (const part of parts) words.push(part)
  })
  return words
}

/** Folded. `create_task` and `dry-run` are one word each. */
function readTokens(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu) ?? []
}

/** Text with the form of code: `create_task`, `os.path`, `maxBuffer`, `close()`, `--force`. */
const codeName =
  /(?<![\p{L}\p{N}_.)`-])(?:--?\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*|[\p{L}_$][\p{L}\p{N}]*(?:(?:_+|\.|::)[\p{L}\p{N}]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{L}[\p{L}\p{N}_]*(?=\(\)))/gu

/** Text in backticks, and text with the form of code. */
function readNames(text: string): string[] {
  const spans = codeSpans(text)
  const marked = spans.map(({ start, end }) => text.slice(start, end).replace(/^`+|`+$/gu, ''))
  return [...marked, ...(replaceSpans(text, spans, () => '`').match(codeName) ?? [])]
}

/** `1,024` and `1.024` become `1024`, `0,5` becomes `0.5`. `3.11.2` stays. */
function readNumbers(text: string): string[] {
  const numbers = fold(text).match(/(?<![\p{L}\p{N}_.]|\p{L}-)\d+(?:[.,]\d+)*/gu) ?? []
  return numbers.map((number) => {
    const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/u.test(number)
    return isGrouped ? number.replace(/[.,]/gu, '') : number.replace(',', '.')
  })
}

/** Differences that quotations may have: white space, Markdown markup, and the form of quotation marks. */
const ignored = /[\s`*|\\"“”„«»'‘’]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<!\S)[-#>~+]+(?!\S)/gu
/** Both sides of a position within a word or a number: `3|0`. */
const cutWord = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{2}$/u
/** Maximum characters of a displayed quotation. */
const maxQuote = 300

/** By passage, because a growing answer is checked repeatedly. */
const read = new WeakMap<{ text: string }, ReturnType<typeof withoutIgnored>>()

/** Returns the words as in the passage, on one line, or null. */
export function findQuote(passage: { text: string }, quote: string): string | null {
  const { text } = passage
  const { bare, places } = read.get(passage) ?? withoutIgnored(text)
  if (!read.has(passage)) read.set(passage, { bare, places })
  const wanted = withoutIgnored(quote).bare.replace(/[.,;:…]+$/u, '')
  let at = wanted === '' ? -1 : bare.indexOf(wanted)
  const isCut = (place: number) => cutWord.test(text.slice(place - 1, place + 1))
  while (at >= 0 && (isCut(places[at]!) || isCut(places[at + wanted.length - 1]! + 1))) {
    at = bare.indexOf(wanted, at + 1)
  }
  if (at < 0) return null
  const end = places[at + wanted.length - 1]! + 1
  const found = text.slice(places[at], end) + (/^[.!?。！？]/u.exec(text.slice(end, end + 1))?.[0] ?? '')
  const shown = found.replace(/^[`~]{3,}$/gmu, '').replace(/\s+/gu, ' ')
  return shorten(shown, maxQuote)
}

/** `places`: position of each character in the text. */
function withoutIgnored(text: string): { bare: string; places: number[] } {
  let bare = ''
  const places: number[] = []
  let from = 0
  for (const { index, 0: mark } of [...text.matchAll(ignored), { index: text.length, 0: '' }]) {
    for (let at = from; at < index; at++) places.push(at)
    bare += text.slice(from, index)
    from = index + mark.length
  }
  return { bare, places }
}
