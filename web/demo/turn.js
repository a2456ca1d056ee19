// A turn of the chat as its frames come. Pure: a turn
// is never changed, each frame makes the next one or is ignored.
import { removedCitations } from './removed-citations.js'

const stages = new Set(
  'contextualizing searching_docs reviewing_results preparing_docs searching_web writing_answer checking_sources'.split(
    ' ',
  ),
)
const states = new Set(['started', 'completed', 'failed'])
/** Reasons of final frames that are no answer. */
const noAnswer = new Set(
  'error interrupted disconnected rate_limited unauthorized domain_not_allowed invalid_message not_found busy chat_full'.split(
    ' ',
  ),
)

/** `phase`: `running`, `done`, or `broken` where there is no whole answer. */
export function createTurn(question, requestId) {
  return {
    question,
    requestId,
    phase: 'running',
    /** Of the last status frame. */
    sequence: 0,
    /** `{stage, state, detail}` in the order in which they began. */
    stages: [],
    /** Markdown: the draft, then the answer. */
    text: '',
    chatId: null,
    restoreToken: null,
    messageId: null,
    /** `{title, url}`; `[1]` in the text is the first. */
    sources: [],
    /** What the check removed from the draft, see removed-citations.js; null until the answer is there. */
    citations: null,
    incomplete: false,
    canContinue: false,
    /** Whether the rest of the answer is being fetched. */
    continuing: false,
    /** 0, 1 or null. */
    feedback: null,
    /** A sentence about what went wrong, else null. */
    notice: null,
    /** The final frame's reason. */
    stopReason: null,
    retryable: false,
  }
}

/** The turn after a frame; the same object where the frame is stale, a repetition, of another turn, or unknown. */
export function takeFrame(turn, frame) {
  if (frame === null || typeof frame !== 'object') return turn
  if (frame.type === 'status') return takeStatus(turn, frame)
  const isOther = typeof frame.requestId === 'string' && frame.requestId !== turn.requestId
  if (turn.phase !== 'running' || isOther || frame.from !== 'ai') return turn
  const text = textOf(frame.message)
  const known = {
    ...turn,
    chatId: idOf(frame.chatId) ?? turn.chatId,
    messageId: idOf(frame.messageId) ?? turn.messageId,
    restoreToken: idOf(frame.restoreToken) ?? turn.restoreToken,
  }
  return frame.isPartial === true ? { ...known, text: turn.text + text } : takeFinal(known, frame, text)
}

/** The turn broken off on this side: what there is of the answer stays. */
export function breakOff(turn, notice, retryable) {
  if (turn.phase !== 'running') return turn
  return { ...turn, phase: 'broken', stages: settle(turn.stages, 'failed'), notice, retryable }
}

/** A completed status may come after the final frame, so an ended turn still takes it. */
function takeStatus(turn, { version, requestId, sequence, stage, state, detail }) {
  const isOurs = String(version) === '1' && requestId === turn.requestId
  if (!isOurs || !Number.isInteger(sequence) || sequence <= turn.sequence) return turn
  if (!stages.has(stage) || !states.has(state)) return { ...turn, sequence }
  const entry = { stage, state, detail: readDetail(detail) }
  const at = turn.stages.findLastIndex((each) => isSameStage(each, entry))
  const next = at < 0 ? [...turn.stages, entry] : turn.stages.with(at, merge(turn.stages[at], entry))
  return { ...turn, sequence, stages: next }
}

function isSameStage(one, other) {
  const round = other.detail.searchRound
  return one.stage === other.stage && (round === undefined || one.detail.searchRound === round)
}

function merge(before, entry) {
  return { ...entry, detail: { ...before.detail, ...entry.detail } }
}

function readDetail(detail) {
  const numbers = Object.entries(detail ?? {}).filter(
    ([name, value]) => ['searchRound', 'documentCount'].includes(name) && Number.isInteger(value),
  )
  return Object.fromEntries(numbers)
}

function takeFinal(turn, frame, text) {
  const { isError, interrupted, stopReason, retryable } = frame
  const ended = { ...turn, stopReason: idOf(stopReason) }
  if (isError === true || interrupted === true || noAnswer.has(stopReason)) {
    // What has been read is worth more than a sentence about what went wrong: that one stands below it.
    const isCut = interrupted === true || stopReason === 'interrupted'
    const isDraft = isCut && isError !== true && text !== '' && text.length >= turn.text.length / 2
    return {
      ...ended,
      phase: 'broken',
      text: isDraft ? text : turn.text,
      sources: isDraft ? readSources(frame.sources) : [],
      stages: settle(turn.stages, 'failed'),
      notice: isDraft || text === '' ? 'The answer was interrupted.' : text,
      retryable: retryable !== false,
    }
  }
  return {
    ...ended,
    phase: 'done',
    text,
    citations: removedCitations(turn.text, text),
    sources: readSources(frame.sources),
    stages: settle(turn.stages, 'completed'),
    incomplete: frame.incomplete === true,
    canContinue: frame.continuationAvailable === true,
  }
}

/** Stages that are still open end with the turn. */
function settle(list, state) {
  return list.map((each) => (each.state === 'started' ? { ...each, state } : each))
}

/** Sources as `{title, url}`, whatever came. */
export function readSources(list) {
  if (!Array.isArray(list)) return []
  return list.map((source) => ({ title: textOf(source?.title), url: textOf(source?.url) }))
}

function textOf(value) {
  return typeof value === 'string' ? value : ''
}

function idOf(value) {
  return typeof value === 'string' && value !== '' ? value : null
}
