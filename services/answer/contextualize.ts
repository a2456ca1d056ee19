// Reads a question in the light of the conversation, without a model: what it is searched by (decisions.md "Chat").
import { toWords } from '../index/words.ts'
import { stopWords } from '../search/stop-words.ts'
import type { ChatMessage } from '../store/chat.ts'
import { isRefusal } from './refusal.ts'

export type RetrievalMode = 'instant' | 'auto' | 'think'

export interface Reading {
  /** The question with what it borrows from the conversation; as it is where it borrows nothing. */
  query: string
  /** Other wordings, for further rounds, best first. */
  others: string[]
  /**
   * What it borrows: passages that hold none of it are about something else. The longer a word has been talked about,
   * the more it weighs: `autovacuum`, then `turn it off`, then `and for a single table` is about autovacuum.
   */
  subject: { word: string; weight: number }[]
  /**
   * A question that says next to nothing by itself (`How long is it valid?`): where nothing is found, the sections that
   * the last answer cites may hold it. `query` found them.
   */
  cited: { query: string; urls: string[] } | null
}

interface SubjectWord {
  text: string
  /** The preposition that it stands behind; null without one. */
  place: string | null
  /** For how many questions it has been talked about. */
  age: number
}

interface Standing {
  subject: SubjectWord[]
  /** Words of the heading that the last answer cites first. */
  headings: SubjectWord[]
  /** What the last question was searched by, and the sections that its answer cites. */
  query: string
  urls: string[]
}

function list(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/u))
}

/** Words that point at something said before. */
const pointing = list(
  'it its this that these those they them their there same one ones former latter above previous mentioned',
)
/** Words that ask for more of the same rather than for a subject. */
const asking = list(
  `example examples more detail details explain show tell give mean means meaning again else other another code sample
   instead work works happen happens exactly mention about please thanks ok okay yes no also then now because possible
   correct right sure really just only still but not too often always never much many long way best better good`,
)
const prepositions = list('for in on with from to by as under using without inside via')
/** Beginnings that go on from what was said. */
const goingOn =
  /^(?:(?:so|ok(?:ay)?|well|now|and|but)[\s,]+)*(?:(?:what|how)\s+about|what\s+if|and|but|or|also|then|instead)\b/iu
/** A question that names its own subject, however short it is. */
const naming =
  /^\s*(?:what\s+(?:is|are)|what['’]s|define)\s+(?!(?:it|that|this|these|those|they|the\s+(?:difference|default))\b)/iu

/** So many words of its own make a question stand alone, whatever it begins with. */
const standsAlone = 5
const shortQuestion = 4
const fewWords = 2
const mostBorrowed = 8
const longQuestion = 14

/**
 * `How do I set a timeout for a subprocess?`, then `And for threads?` → `And for threads? (set timeout)`: what stands
 * behind the same preposition is replaced. Then `How do I kill it?` → `How do I kill it? (threads set timeout)`.
 * `before`: the messages so far, oldest first. Mode `instant` borrows nothing.
 */
export function contextualize(question: string, before: ChatMessage[], mode: RetrievalMode): Reading {
  if (mode === 'instant') return { query: question, others: [], subject: [], cited: null }
  const { subject, headings, query: last, urls } = readConversation(before)
  const own = subjectWords(question)
  const borrowed = borrow(question, subject, headings)
  const others: string[] = []
  if (borrowed.length > 0) others.push(toText(own))
  else if (own.length < standsAlone) others.push(withWords(question, without(subject, own)))
  if (toWords(question).length > longQuestion) others.push(toText(own))
  const query = withWords(question, borrowed)
  const isThin = borrowed.length > 0 && own.length <= 1 && urls.length > 0
  return {
    query,
    others: isThin ? [] : [...new Set(others)].filter((other) => other !== '' && other !== query),
    subject: borrowed.map(({ text, age }) => ({ word: text, weight: 1 + 2 * age })),
    cited: isThin ? { query: last, urls } : null,
  }
}

/** What the conversation is about by now. A question that was refused has led nowhere. */
function readConversation(messages: ChatMessage[]) {
  let now: Standing = { subject: [], headings: [], query: '', urls: [] }
  let earlier = now
  for (const { role, content, sources } of messages) {
    if (role === 'user') {
      earlier = now
      const borrowed = borrow(content, now.subject, now.headings)
      now = {
        ...now,
        subject: [...subjectWords(content), ...borrowed.map((word) => ({ ...word, age: word.age + 1 }))],
        query: withWords(content, borrowed),
      }
    } else if (isRefusal(content)) now = earlier
    else {
      now = {
        ...now,
        headings: subjectWords(sources[0]?.title ?? ''),
        urls: sources.map(({ url }) => url),
      }
    }
  }
  return now
}

/** What the question leaves out: words of the subject so far, and of the heading that the last answer cites. */
function borrow(question: string, subject: SubjectWord[], headings: SubjectWord[]): SubjectWord[] {
  const own = subjectWords(question)
  if (own.length >= standsAlone) return []
  const words = toWords(question).map(({ text }) => text.toLowerCase())
  const goesOn = goingOn.test(question.trim())
  const isShort = words.length <= shortQuestion && own.length <= fewWords && !naming.test(question)
  const asksForMore = own.length === 0
  if (!goesOn && !isShort && !asksForMore && !words.some((word) => pointing.has(word))) return []
  const places = new Set(own.map(({ place }) => place))
  const replaced = goesOn || isShort
  const kept = subject.filter(({ place }) => !(replaced && place !== null && places.has(place)))
  return without(kept.length < fewWords ? [...kept, ...headings] : kept, own).slice(0, mostBorrowed)
}

/** The words that tell what a question is about. */
function subjectWords(text: string): SubjectWord[] {
  const found: SubjectWord[] = []
  let place: string | null = null
  for (const { text: word } of toWords(text)) {
    const folded = word.toLowerCase()
    if (prepositions.has(folded)) place = folded
    else if (!stopWords.has(folded) && !asking.has(folded) && !pointing.has(folded)) {
      found.push({ text: word.replace(/^[.'"]+|[.'":]+$/gu, ''), place, age: 0 })
    }
  }
  return without(found, [])
}

/** Without repetitions and without the words of the other. */
function without(words: SubjectWord[], other: SubjectWord[]): SubjectWord[] {
  const seen = new Set(other.map(({ text }) => text.toLowerCase()))
  return words.filter(({ text }) => !seen.has(text.toLowerCase()) && seen.add(text.toLowerCase()))
}

function toText(words: SubjectWord[]): string {
  return words.map(({ text }) => text).join(' ')
}

function withWords(question: string, words: SubjectWord[]): string {
  return words.length === 0 ? question : `${question} (${toText(words)})`
}
