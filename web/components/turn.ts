// A turn of the chat, built from its frames. Turns are immutable: each frame returns a new turn or is ignored.
import { readText } from './api.ts'
import { type RemovedCitations, removedCitations } from './removed-citations.ts'

const stageNames = [
  'contextualizing',
  'searching_docs',
  'reviewing_results',
  'preparing_docs',
  'searching_web',
  'writing_answer',
  'checking_sources',
] as const
export type StageName = (typeof stageNames)[number]
const states = ['started', 'completed', 'failed'] as const

export interface Stage {
  stage: StageName
  state: (typeof states)[number]
  detail: { searchRound?: number; documentCount?: number }
}

export interface Source {
  title: string
  url: string
  /** The cited passage, or ''. */
  quote: string
}

/** Outcomes of a question: an answer, links to the nearest sections, or nothing in the documentation. */
const outcomes = ['answered', 'pointed', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** A key of strings.notices, or a sentence from the server. */
export type Notice = { code: NoticeCode } | { text: string }
export type NoticeCode =
  | 'interrupted'
  | 'unanswered'
  | 'stopped'
  | 'lost'
  | 'noConnection'
  | 'blocked'
  | 'chatGone'
  | 'chatFull'
  | 'restFailed'
  | 'feedbackFailed'

export interface Turn {
  question: string
  requestId: string
  /** `broken`: no complete answer. */
  phase: 'running' | 'done' | 'broken'
  /** Sequence number of the last status frame. */
  sequence: number
  /** In the order of their start. */
  stages: Stage[]
  /** Markdown: the draft, then the answer. */
  text: string
  chatId: string | null
  restoreToken: string | null
  messageId: string | null
  /** `[1]` in the text is the first. */
  sources: Source[]
  /** Citations that the check removed from the draft. Null before the final answer. */
  citations: RemovedCitations | null
  /** Null for a greeting, or if the server does not send it. */
  outcome: Outcome | null
  incomplete: boolean
  canContinue: boolean
  /** Whether the rest of the answer is being fetched. */
  continuing: boolean
  feedback: 0 | 1 | null
  notice: Notice | null
  /** The final frame's reason. */
  stopReason: string | null
  retryable: boolean
}

/** Stop reasons of final frames without an answer. */
const noAnswer = new Set(
  'error interrupted disconnected rate_limited unauthorized domain_not_allowed invalid_message not_found busy chat_full'.split(
    ' ',
  ),
)

export function createTurn(question: string, requestId: string): Turn {
  return {
    question,
    requestId,
    phase: 'running',
    sequence: 0,
    stages: [],
    text: '',
    chatId: null,
    restoreToken: null,
    messageId: null,
    sources: [],
    citations: null,
    outcome: null,
    incomplete: false,
    canContinue: false,
    continuing: false,
    feedback: null,
    notice: null,
    stopReason: null,
    retryable: false,
  }
}

type Frame = Record<string, unknown>

/** Returns the turn after a frame. The same object if the frame is stale, repeated, unknown, or of another turn. */
export function takeFrame(turn: Turn, given: unknown): Turn {
  if (given === null || typeof given !== 'object') return turn
  const frame = given as Frame
  if (frame.type === 'status') return takeStatus(turn, frame)
  const isOther = typeof frame.requestId === 'string' && frame.requestId !== turn.requestId
  if (turn.phase !== 'running' || isOther || frame.from !== 'ai') return turn
  const text = readText(frame.message)
  const known = {
    ...turn,
    chatId: readText(frame.chatId) || turn.chatId,
    messageId: readText(frame.messageId) || turn.messageId,
    restoreToken: readText(frame.restoreToken) || turn.restoreToken,
  }
  return frame.isPartial === true ? { ...known, text: turn.text + text } : takeFinal(known, frame, text)
}

/** Returns the turn after it was stopped by the client. Keeps the received text. */
export function breakOff(turn: Turn, notice: Notice, retryable: boolean): Turn {
  if (turn.phase !== 'running') return turn
  return { ...turn, phase: 'broken', stages: settle(turn.stages, 'failed'), notice, retryable }
}

/** Also accepts a status for an ended turn: a completed status may follow the final frame. */
function takeStatus(turn: Turn, { version, requestId, sequence, stage, state, detail }: Frame): Turn {
  const isOurs = String(version) === '1' && requestId === turn.requestId
  if (!isOurs || !Number.isInteger(sequence) || (sequence as number) <= turn.sequence) return turn
  const next = { ...turn, sequence: sequence as number }
  const name = stageNames.find((each) => each === stage)
  const reached = states.find((each) => each === state)
  if (!name || !reached) return next
  const entry: Stage = { stage: name, state: reached, detail: readDetail(detail) }
  const at = turn.stages.findLastIndex((each) => isSameStage(each, entry))
  if (at < 0) return { ...next, stages: [...turn.stages, entry] }
  const merged = { ...entry, detail: { ...turn.stages[at]?.detail, ...entry.detail } }
  return { ...next, stages: turn.stages.with(at, merged) }
}

function isSameStage(one: Stage, other: Stage): boolean {
  const round = other.detail.searchRound
  return one.stage === other.stage && (round === undefined || one.detail.searchRound === round)
}

function readDetail(detail: unknown): Stage['detail'] {
  const numbers = Object.entries(detail ?? {}).filter(
    ([name, value]) => ['searchRound', 'documentCount'].includes(name) && Number.isInteger(value),
  )
  return Object.fromEntries(numbers)
}

function takeFinal(turn: Turn, frame: Frame, text: string): Turn {
  const { isError, interrupted, retryable } = frame
  const stopReason = readText(frame.stopReason)
  const ended = { ...turn, stopReason: stopReason || null }
  if (isError === true || interrupted === true || noAnswer.has(stopReason)) {
    // Keeps the text that was already read. The error message follows below it.
    const isCut = interrupted === true || stopReason === 'interrupted'
    const isDraft = isCut && isError !== true && text !== '' && text.length >= turn.text.length / 2
    return {
      ...ended,
      phase: 'broken',
      text: isDraft ? text : turn.text,
      sources: isDraft ? readSources(frame.sources) : [],
      stages: settle(turn.stages, 'failed'),
      notice: isDraft || text === '' ? { code: 'interrupted' } : { text },
      retryable: retryable !== false,
    }
  }
  return {
    ...ended,
    phase: 'done',
    text,
    citations: removedCitations(turn.text, text),
    sources: readSources(frame.sources),
    outcome: readOutcome(frame.outcome),
    stages: settle(turn.stages, 'completed'),
    incomplete: frame.incomplete === true,
    canContinue: frame.continuationAvailable === true,
  }
}

/** Ends all running stages. */
function settle(list: Stage[], state: Stage['state']): Stage[] {
  return list.map((each) => (each.state === 'started' ? { ...each, state } : each))
}

export function readSources(list: unknown): Source[] {
  if (!Array.isArray(list)) return []
  return list.map((source) => ({
    title: readText(source?.title),
    url: readText(source?.url),
    quote: readText(source?.quote),
  }))
}

export function readOutcome(value: unknown): Outcome | null {
  return outcomes.find((each) => each === value) ?? null
}
