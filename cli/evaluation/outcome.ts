// What came of a question: where search had the page, and how it was answered. Chats made for it are deleted.
import { randomUUID } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { type TurnFinal, TurnOutcome } from '../../gen/lectern/v1/turn_pb.js'
import { isWhole } from '../answer-printer.ts'
import type { CoreClient } from '../client.ts'
import { isPage, type Question, QuestionError } from './questions.ts'

/**
 * How a question was answered. `pointed`: no answer, but the nearest sections were named; `failed`: there was no whole
 * answer.
 */
export type Answered = 'answered' | 'pointed' | 'refused' | 'failed'

export interface Outcome {
  question: string
  answerable: boolean
  /** Rank of the first expected page among the first ten pages of the search, from 1; null: none, or none expected. */
  rank: number | null
  /** Null where only search was looked at. */
  answered: Answered | null
  /** Whether an expected page is among the sources; null where there is nothing to compare. */
  cited: boolean | null
}

/** Pages that count, and sections to ask for: a page comes at most three times. */
const pagesCounted = 10
const sections = pagesCounted * 3

export async function readOutcome(
  client: CoreClient,
  slug: string,
  { question, pages }: Question,
  searchOnly: boolean,
): Promise<Outcome> {
  const answerable = pages.length > 0
  const isExpected = (url: string) => pages.some((page) => isPage(url, page))
  const rank = answerable ? await rankOf(client, slug, question, isExpected) : null
  if (searchOnly) return { question, answerable, rank, answered: null, cited: null }
  const final = await answerOf(client, slug, question)
  const answered = !final || !isWhole(final) ? 'failed' : (answeredBy[final.outcome!] ?? 'answered')
  const comparable = answerable && answered === 'answered'
  const cited = comparable ? final!.aiMessage!.sources.some(({ url }) => isExpected(url)) : null
  return { question, answerable, rank, answered, cited }
}

const answeredBy: Partial<Record<TurnOutcome, Answered>> = {
  [TurnOutcome.POINTED]: 'pointed',
  [TurnOutcome.REFUSED]: 'refused',
}

async function rankOf(
  client: CoreClient,
  slug: string,
  question: string,
  isExpected: (url: string) => boolean,
): Promise<number | null> {
  const { results } = await client.search.search({ slug, q: question, limit: sections, uncounted: true })
  const pages = [...new Set(results.map(({ url }) => url.replace(/#.*$/, '')))].slice(0, pagesCounted)
  return pages.findIndex(isExpected) + 1 || null
}

/** Null where the turn did not come to its end. */
async function answerOf(client: CoreClient, slug: string, message: string): Promise<TurnFinal | null> {
  let chatUuid = ''
  let final: TurnFinal | null = null
  try {
    const request = { slug, message, metadata: 'evaluation' }
    for await (const { event } of client.chats.sendMessage(request)) {
      const inner = event?.event
      if (inner?.case === 'token' || inner?.case === 'final') chatUuid ||= inner.value.chatUuid
      if (inner?.case === 'final') final = inner.value
    }
    return final
  } finally {
    if (chatUuid !== '') await client.chats.deleteChat({ slug, chatUuid })
  }
}

/** Before the first question: a key that may not delete would leave the chats behind. Throws QuestionError. */
export async function checkMayDelete(client: CoreClient, slug: string): Promise<void> {
  try {
    await client.chats.deleteChat({ slug, chatUuid: randomUUID() })
  } catch (error) {
    const { code } = ConnectError.from(error)
    if (code === Code.NotFound) return
    if (code !== Code.PermissionDenied && code !== Code.Unauthenticated) throw error
    throw new QuestionError(
      'the key needs the permission chats_delete, so that no chat of the evaluation stays; --search-only does without',
    )
  }
}
