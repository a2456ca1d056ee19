// Quotations of answers without a language model: whether they contain the phrase that answers the question, and their length.
import { answerQuestion } from '../../../services/answer/answer-question.ts'
import { type Quote, quoteSection } from '../../../services/answer/extractive.ts'
import { createReview } from '../../../services/answer/review.ts'
import type { ChatMessage } from '../../../services/store/chat.ts'
import type { Project } from '../../../services/store/project.ts'
import { readLanguages } from '../../read-languages.ts'
import { readManualUnits } from '../agreement/manual-units.ts'
import type { BenchOptions } from '../bench-options.ts'
import { type Holds, toPlain } from '../manuals/manual-questions.ts'
import { manualsToJudge, readJudged } from '../manuals/sealed.ts'
import { openAskedManual, openPassages, project } from '../questions/asked-manual.ts'
import { openCachedEmbedder } from '../questions/vectors.ts'
import { type Table, toTarget } from '../report.ts'
import { type Manual, requireManuals } from '../site/manuals.ts'
import { median } from '../statistics.ts'

const targets = { held: 0.65, words: 180 }
const bounds = [0.05, 0.1, 0.15, 0.25, 0.5, 1.01]
const link = /^- \[.*\]\((\S+)\)/gmu

export interface AskedQuestion {
  question: string
  /** Null if no phrase was chosen. */
  holds: Holds | null
  /** The pages that answer it, without anchors; none for an unanswerable one. */
  pages: string[]
  verdict: string | null
  probability: number | null
  content: string
  /** Addresses that it quotes or links to, the quoted one first. */
  urls: string[]
}

interface Row {
  manual: string
  by: string
  questions: number
  answered: number
  unanswerable: number
  'refused or pointed': number
  /** Null without phrases. */
  held: number | null
  'of answered': number | null
  words: number
}

/** Every question, without a language model. */
export async function measureExcerpts(options: BenchOptions): Promise<Table[]> {
  const judged = manualsToJudge(options)
  requireManuals(judged)
  const rows: Row[] = []
  const all: AskedQuestion[] = []
  for (const manual of judged) {
    for (const [by, outcomes] of Object.entries(await askInProcess(manual))) {
      all.push(...outcomes)
      rows.push({ manual: manual.name, by, ...toShares(outcomes) })
    }
  }
  return [
    {
      title: 'Answers: what the excerpt holds',
      rows: rows.map((row) => ({ ...row })),
      notes: ['held: of all questions with a phrase, those that are answered by an excerpt that holds it'],
    },
    { title: 'Answers: what is named, by probability', rows: toFloor(all) },
    {
      title: 'Answers: targets of the excerpt',
      rows: rows.flatMap(({ manual, by, held, words }) => [
        ...(held === null ? [] : [toTarget(`${manual}, ${by}: phrase held`, held, '≥', targets.held)]),
        toTarget(`${manual}, ${by}: median words`, words, '≤', targets.words),
      ]),
    },
  ]
}

function toShares(outcomes: AskedQuestion[]): Omit<Row, 'manual' | 'by'> {
  const isAnswered = ({ verdict }: AskedQuestion) => verdict === 'answered'
  const answerable = outcomes.filter(({ pages }) => pages.length > 0)
  const unanswerable = outcomes.filter(({ pages }) => pages.length === 0)
  const answered = answerable.filter(isAnswered)
  const withPhrase = answerable.filter(({ holds }) => holds)
  const quoted = withPhrase.filter(isAnswered)
  const held = withPhrase.length > 0 ? quoted.filter(holdsPhrase).length : null
  return {
    ...{ questions: answerable.length, answered: answered.length / answerable.length },
    unanswerable: unanswerable.length,
    'refused or pointed': 1 - unanswerable.filter(isAnswered).length / unanswerable.length,
    held: held === null ? null : held / withPhrase.length,
    'of answered': held === null ? null : held / quoted.length,
    words: median(answered.map(({ content }) => content.split(/\s+/u).length)),
  }
}

/** The probability below which there is no answerable question, so that a refusal without links hides no right section. */
function toFloor(outcomes: AskedQuestion[]): Table['rows'] {
  return bounds.map((bound, at) => {
    const band = outcomes.filter(
      ({ probability }) => probability! < bound && probability! >= (bounds[at - 1] ?? 0),
    )
    const answerable = band.filter(({ pages }) => pages.length > 0)
    const isLinked = ({ urls, pages }: AskedQuestion) =>
      urls.some((url) => pages.some((page) => url.includes(`/${page}`)))
    return {
      ...{ 'probability below': bound, answerable: answerable.length },
      'right page named': answerable.filter(isLinked).length,
      unanswerable: band.length - answerable.length,
    }
  })
}

/** The phrase must be in the quotation, not in the links below it. */
export function holdsPhrase({ content, holds }: AskedQuestion): boolean {
  return holds!(toPlain(content.replace(/^- \[.*\]\(\S+\).*$/gmu, '')))
}

interface Ask {
  question: string
  holds: Holds | null
  pages: string[]
  /** The question before it in the chat, which was answered. */
  before?: string
}

export async function askInProcess(
  manual: Manual,
  questions: Ask[] = readAsks(manual),
): Promise<Record<string, AskedQuestion[]>> {
  const embedder = await openCachedEmbedder()
  const asked = await openAskedManual(manual, embedder, readManualUnits(manual))
  const outcomes: Record<string, AskedQuestion[]> = {}
  for (const serving of asked.embedder ? [asked.embedder, null] : [null]) {
    const { passages, similarities } = await openPassages(asked, serving)
    const quote: Quote = (question, passages) => quoteSection(question, passages, similarities)
    const deps = {
      ...{ passages, review: createReview(similarities), readLanguages, model: null, quote },
      store: { sources: { all: async () => [] } } as never,
      judge: { isCostly: false, accepts: async () => [] } as never,
      stopOf: () => 'interrupted' as const,
      ...{ clock: Date.now, report: console.error },
    }
    const by = serving === null ? 'by words' : 'with the model'
    outcomes[by] = []
    for (const each of questions) {
      const asking = {
        project: { uuid: project, name: manual.name, config: { prompt: { useDefault: true } } } as Project,
        ...{ before: toConversation(each), text: each.question, mode: 'auto' as const },
        ...{ pageUrl: null, docVersion: null, language: null },
      }
      const events = { stage() {}, found() {}, token() {} }
      const turn = {
        events,
        signal: new AbortController().signal,
        startedAt: Date.now(),
        isAppendOnly: false,
      }
      const { answer, trace } = await answerQuestion(asking, deps, turn)
      const linked = [...answer.content.matchAll(link)].map(([, url]) => url!)
      outcomes[by].push({
        ...each,
        ...{ verdict: trace.verdict, probability: trace.probability, content: answer.content },
        urls: [...answer.sources.map(({ url }) => url), ...linked],
      })
    }
  }
  await asked.close()
  await embedder?.close()
  return outcomes
}

function readAsks(manual: Manual): Ask[] {
  const { questions, unanswerable } = readJudged(manual)
  return [
    ...questions.map(({ question, pages, holds = null }) => ({
      ...{ question, holds },
      pages: pages.map((page) => `${manual.name}/${page.split('#')[0]}`),
    })),
    ...unanswerable.map(({ question }) => ({ question, holds: null, pages: [] })),
  ]
}

function toConversation({ before }: Ask): ChatMessage[] {
  if (before === undefined) return []
  return [
    { role: 'user', content: before } as ChatMessage,
    { role: 'assistant', content: '', sources: [{}] } as ChatMessage,
  ]
}
