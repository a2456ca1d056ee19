// `lectern search` prints the best sections. `lectern ask` streams an answer with checked citations, then prints its sources.
import { Code, ConnectError } from '@connectrpc/connect'
import { writeMessage } from '../gateway/json/write.ts'
import { RetrievalMode } from '../gen/lectern/v1/chat_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { StopReason, type TurnEvent, TurnEventSchema, type TurnFinal } from '../gen/lectern/v1/turn_pb.js'
import type { CliClient } from './client.ts'
import { type Command, json, limit, oneOf, option, type PrintOptions } from './command.ts'
import { printJson, printLine, withoutControls } from './print.ts'

async function search(
  core: CliClient,
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
  client: CliClient,
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
      ...{ progress: json === true, metadata: 'cli', ...(think && { thinkMode: true }) },
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
}

/** Whether the turn ended with an answer, whole or cut at the length limit. */
export function isWhole({ isError, interrupted, aiMessage }: TurnFinal): boolean {
  const reason = aiMessage?.stopReason ?? StopReason.ERROR
  const answers = [StopReason.STOP, StopReason.LENGTH, StopReason.CONTENT_FILTER]
  return !isError && !interrupted && answers.includes(reason)
}

/** Without a terminal, prints only the final text. */
export function createAnswerPrinter(out: Output, err: Output) {
  let shown = ''
  if (err.isTTY) err.write('Reading the documentation…')

  function clearNotice() {
    if (err.isTTY && shown === '') err.write('\r\u001b[2K')
  }

  /** Tokens add up to the final text, because the request asks for no progress. */
  function showToken(text: string) {
    if (!out.isTTY) return
    clearNotice()
    const piece = withoutControls(text)
    shown += piece
    out.write(piece)
  }

  function showFinal(final: TurnFinal) {
    clearNotice()
    const text = withoutControls(final.aiMessage?.message ?? '')
    const isCut = final.interrupted === true && final.isError !== true
    if (isWhole(final) || (isCut && text !== '')) {
      out.write(`${text.slice(shown.length)}\n`)
      showSources(final)
    } else if (shown !== '') {
      // The beginning stays: it is more useful than the error message that replaces it.
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
      if (event.case === 'token') showToken(event.value.text)
      else if (event.case === 'final') showFinal(event.value)
    },
    /** The stream ended before its final event. */
    breakOff() {
      clearNotice()
      if (shown !== '') out.write('\n')
    },
  }
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
