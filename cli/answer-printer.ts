// A turn on a terminal: what it is doing on standard error, the answer as it is written, then its sources. The final
// text replaces the draft (citations may have changed), so the draft is taken back where it differs.
import {
  StopReason,
  type TurnEvent,
  type TurnFinal,
  TurnStage,
  TurnState,
  type TurnStatus,
} from '../gen/lectern/v1/turn_pb.js'
import { withoutControls } from './print.ts'

export interface EventPrinter {
  event(event: TurnEvent): void
  /** The stream ended before its final event. */
  breakOff(): void
}

export interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
}

const stages: Partial<Record<TurnStage, string>> = {
  [TurnStage.CONTEXTUALIZING]: 'Reading the question',
  [TurnStage.SEARCHING_DOCS]: 'Searching the documentation',
  [TurnStage.REVIEWING_RESULTS]: 'Judging what was found',
  [TurnStage.PREPARING_DOCS]: 'Getting the passages ready',
  [TurnStage.SEARCHING_WEB]: 'Searching beyond the documentation',
  [TurnStage.WRITING_ANSWER]: 'Writing the answer',
  [TurnStage.CHECKING_SOURCES]: 'Checking the sources',
}

/** Whether the turn ended in an answer, if only a part of it. */
export function isWhole({ isError, interrupted, aiMessage }: TurnFinal): boolean {
  const reason = aiMessage?.stopReason ?? StopReason.ERROR
  const answers = [StopReason.STOP, StopReason.LENGTH, StopReason.CONTENT_FILTER]
  return !isError && !interrupted && answers.includes(reason)
}

/** On what is no terminal nothing is drawn and redrawn: the final text alone is written. */
export function createAnswerPrinter(out: Output, err: Output): EventPrinter {
  const streams = out.isTTY === true
  let draft = ''
  let stageShown = false

  function showStage({ stage, state, detail }: TurnStatus) {
    const words = stages[stage]
    // Once the answer is on the screen, another line would stand in the middle of it.
    if (!err.isTTY || !words || state !== TurnState.STARTED || draft !== '') return
    const round = (detail?.searchRound ?? 1) > 1 ? `, round ${detail?.searchRound}` : ''
    err.write(`\r\u001b[2K${words}${round}…`)
    stageShown = true
  }

  function clearStage() {
    if (stageShown) err.write('\r\u001b[2K')
    stageShown = false
  }

  function showToken(text: string) {
    if (!streams) return
    if (draft === '') clearStage()
    const piece = withoutControls(text)
    draft += piece
    out.write(piece)
  }

  function showFinal(final: TurnFinal) {
    clearStage()
    const text = withoutControls(final.aiMessage?.message ?? '')
    const isCut = final.interrupted === true && final.isError !== true
    if (isWhole(final) || (isCut && text !== '')) {
      if (draft !== text) out.write(`${takeBack(draft, out)}${text}`)
      out.write('\n')
      showSources(final)
    } else if (draft !== '') {
      // The draft stays: it is worth more than the sentence about what went wrong.
      out.write('\n')
    }
    if (isCut) err.write('lectern: the answer was interrupted\n')
    else if (!isWhole(final)) err.write(`lectern: ${text || 'there is no answer'}\n`)
    if (final.aiMessage?.continuationAvailable)
      err.write('The answer is longer than the model may write at once.\n')
    if (err.isTTY && final.restoreToken) {
      err.write(
        `\nTo go on: lectern ask ${final.slug} --chat ${final.chatUuid} --token ${final.restoreToken} "…"\n`,
      )
    }
  }

  function showSources({ aiMessage }: TurnFinal) {
    const sources = aiMessage?.sources ?? []
    if (sources.length > 0) out.write('\nSources\n')
    for (const [index, { title, url }] of sources.entries()) {
      out.write(`${index + 1}. ${withoutControls(title)}\n   ${withoutControls(url)}\n`)
    }
  }

  return {
    event({ event }: TurnEvent) {
      if (event.case === 'status') showStage(event.value)
      else if (event.case === 'token') showToken(event.value.text)
      else if (event.case === 'final') showFinal(event.value)
    },
    breakOff() {
      clearStage()
      if (draft !== '') out.write('\n')
    },
  }
}

/**
 * What takes a draft off the screen; where its beginning has scrolled away, a rule to set the final text off.
 *
 *   three rows → up two rows, to the left, erase to the end
 */
export function takeBack(draft: string, { columns = 80, rows = 24 }: Output): string {
  if (draft === '') return ''
  const used = draft
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0)
  if (used > rows) return `\n${'─'.repeat(Math.min(columns, 40))}\n`
  return `${used > 1 ? `\u001b[${used - 1}A` : ''}\r\u001b[J`
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Columns of a line: wide characters take two, marks none, tabs run to the next multiple of eight. */
function widthOf(line: string): number {
  let width = 0
  for (const character of line) {
    if (character === '\t') width += 8 - (width % 8)
    else if (!/\p{M}/u.test(character)) width += wide.test(character) ? 2 : 1
  }
  return width
}
