// `lectern search` prints the best sections. `lectern ask` streams an answer, then prints its sources. On a terminal, the
// final text replaces the draft if it differs: citations may have changed.
import { Code, ConnectError } from '@connectrpc/connect'
import { writeMessage } from '../gateway/json/write.ts'
import { RetrievalMode } from '../gen/lectern/v1/chat_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import {
  StopReason,
  type TurnEvent,
  TurnEventSchema,
  type TurnFinal,
  TurnStage,
  TurnState,
  type TurnStatus,
} from '../gen/lectern/v1/turn_pb.js'
import type { CoreClient } from './client.ts'
import { type Command, json, limit, oneOf, option, type PrintOptions } from './command.ts'
import { printJson, printLine, withoutControls } from './print.ts'

async function search(
  core: CoreClient,
  slug: string,
  words: string[],
  { json, limit, scope }: PrintOptions & { limit: number; scope: 'site' | 'all' },
): Promise<void> {
  const request = { slug, q: words.join(' '), limit, content_scope: scope, uncounted: true }
  const answer = await core.call(SearchService.method.search, request)
  if (json) return printJson(answer)
  if (answer.results.length === 0) printLine('Nothing found.')
  for (const [position, { title, page_title: pageTitle, url, fragment }] of answer.results.entries()) {
    printLine(`${position + 1}. ${title}${title === pageTitle ? '' : ` (${pageTitle})`}`)
    printLine(`   ${url}`)
    printLine(`   ${fragment.replaceAll('\n', ' ')}`)
  }
}

interface AskOptions extends PrintOptions {
  /** The chat to continue, and its restore token. */
  chat?: string
  token?: string
  think?: boolean
  instant?: boolean
}

/** The exit code of shells: 128 + SIGINT. */
const interruptedCode = 130

/** Sets exit code 1 if the turn has no complete answer, 130 if Ctrl-C stopped it. */
async function ask(
  client: CoreClient,
  slug: string,
  words: string[],
  { json, chat = '', token = '', think, instant }: AskOptions,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  const printer = json ? jsonPrinter : createAnswerPrinter(process.stdout, process.stderr)
  try {
    const request = {
      ...{ slug, message: words.join(' '), chatUuid: chat, restoreToken: token },
      ...{ progress: true, metadata: 'cli', ...(think && { thinkMode: true }) },
      retrievalMode: instant ? RetrievalMode.INSTANT : RetrievalMode.UNSPECIFIED,
    }
    for await (const { event } of client.chats.sendMessage(request, { signal: stop.signal })) {
      if (event) printer.event(event)
      if (event?.event.case === 'final' && !isWhole(event.event.value)) process.exitCode = 1
    }
  } catch (error) {
    printer.breakOff()
    if (!stop.signal.aborted || ConnectError.from(error).code !== Code.Canceled) throw error
    process.stderr.write('Stopped.\n')
    process.exitCode = interruptedCode
  } finally {
    process.off('SIGINT', interrupt)
  }
}

const jsonPrinter: ReturnType<typeof createAnswerPrinter> = {
  event: (event) => printJson(writeMessage(TurnEventSchema, event)),
  breakOff() {},
}

interface Output {
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

/** Whether the turn ended with an answer, whole or cut at the length limit. */
export function isWhole({ isError, interrupted, aiMessage }: TurnFinal): boolean {
  const reason = aiMessage?.stopReason ?? StopReason.ERROR
  const answers = [StopReason.STOP, StopReason.LENGTH, StopReason.CONTENT_FILTER]
  return !isError && !interrupted && answers.includes(reason)
}

/** Without a terminal, prints only the final text. */
export function createAnswerPrinter(out: Output, err: Output) {
  const streams = out.isTTY === true
  let draft = ''
  let stageShown = false

  function showStage({ stage, state, detail }: TurnStatus) {
    const words = stages[stage]
    // After the answer has begun, a line would interrupt it.
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
      // The draft stays: it is more useful than the error message that replaces it.
      out.write('\n')
    }
    if (isCut) err.write('lectern: the answer was interrupted\n')
    else if (!isWhole(final)) err.write(`lectern: ${text || 'there is no answer'}\n`)
    if (final.aiMessage?.continuationAvailable)
      err.write('The answer was cut at the length limit of the model.\n')
    if (err.isTTY && final.restoreToken) {
      err.write(
        `\nTo continue: lectern ask ${final.slug} --chat ${final.chatUuid} --token ${final.restoreToken} "…"\n`,
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
    /** The stream ended before its final event. */
    breakOff() {
      clearStage()
      if (draft !== '') out.write('\n')
    },
  }
}

/**
 * The control sequence that clears a draft. If its beginning has scrolled away, a rule that separates the final text.
 *
 *   three rows → up two rows, to the left, erase to the end
 */
export function takeBack(draft: string, { columns = 80, rows = 24 }: Output): string {
  if (draft === '') return ''
  const used = draft
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(measureWidth(line) / columns)), 0)
  if (used > rows) return `\n${'─'.repeat(Math.min(columns, 40))}\n`
  return `${used > 1 ? `\u001b[${used - 1}A` : ''}\r\u001b[J`
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Columns of a line: wide characters take two, combining marks none, and tabs extend to the next multiple of eight. */
function measureWidth(line: string): number {
  let width = 0
  for (const character of line) {
    if (character === '\t') width += 8 - (width % 8)
    else if (!/\p{M}/u.test(character)) width += wide.test(character) ? 2 : 1
  }
  return width
}

export const askCommands: Command[] = [
  {
    usage: 'search <slug> <query...>',
    about: 'search a project',
    options: [
      limit('results', 10),
      oneOf('--scope <scope>', 'site: without uploaded files', ['all', 'site']).default('all'),
      json,
    ],
    run: search,
  },
  {
    usage: 'ask <slug> <question...>',
    about: 'answer a question from a project',
    options: [
      option('--chat <uuid>', 'continue this chat'),
      option('--token <token>', 'the restore token of the chat'),
      option('--think', 'search longer, and let the model reason'),
      option('--instant', 'search once, with the unchanged question').conflicts('think'),
      option('--json', 'print the events of the turn, one per line'),
    ],
    run: ask,
  },
]
