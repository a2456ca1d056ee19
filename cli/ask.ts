// `lectern search` prints the best sections. `lectern ask` streams an answer with checked citations, then prints its sources.
import { Code, ConnectError } from '@connectrpc/connect'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import type { CliClient, JsonObject } from './client.ts'
import { type Command, json, limit, type Options, oneOf, option } from './command.ts'
import { printJson, printLine, withoutControls } from './print.ts'

async function search(
  core: CliClient,
  slug: string,
  words: string[],
  { json, limit, scope }: Options,
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

/** The exit code of shells: 128 + SIGINT. */
const interruptedCode = 130

/** Sets exit code 1 if the turn has no complete answer, 130 if Ctrl-C stopped it. */
async function ask(
  client: CliClient,
  slug: string,
  words: string[],
  { json, chat, token, think, instant }: Options,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  const printer = json ? jsonPrinter : createAnswerPrinter(process.stdout, process.stderr)
  try {
    const request = {
      ...{ slug, message: words.join(' '), chat_uuid: chat, restore_token: token },
      ...{ progress: json === true, metadata: 'cli', think_mode: think },
      retrieval_mode: instant ? 'instant' : undefined,
    }
    for await (const { event } of client.stream(ChatService.method.sendMessage, request, stop.signal)) {
      printer.event(event)
      if (event.final && !isWhole(event.final)) process.exitCode = 1
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
  event: printJson,
  breakOff() {},
}

interface Output {
  write(text: string): unknown
  isTTY?: boolean
}

/** Whether the turn ended with an answer, whole or cut at the length limit. */
export function isWhole({ is_error, interrupted, ai_message }: JsonObject): boolean {
  const reasons = ['stop', 'length', 'content_filter']
  return !is_error && !interrupted && reasons.includes(ai_message?.stopReason)
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

  function showFinal(final: JsonObject) {
    clearNotice()
    const text = withoutControls(final.ai_message?.message ?? '')
    const isCut = final.interrupted === true && final.is_error !== true
    if (isWhole(final) || (isCut && text !== '')) {
      out.write(`${text.slice(shown.length)}\n`)
      showSources(final)
    } else if (shown !== '') {
      // The beginning stays: it is more useful than the error message that replaces it.
      out.write('\n')
    }
    if (isCut) err.write('lectern: the answer was interrupted\n')
    else if (!isWhole(final)) err.write(`lectern: ${text || 'there is no answer'}\n`)
    if (final.ai_message?.continuationAvailable)
      err.write('The answer was cut at the length limit of the model.\n')
    if (err.isTTY && final.restore_token) {
      const options = `--chat ${final.chat_uuid} --token ${final.restore_token}`
      err.write(`\nTo continue: lectern ask ${final.slug} ${options} "…"\n`)
    }
  }

  function showSources({ ai_message }: JsonObject) {
    const sources: JsonObject[] = ai_message?.sources ?? []
    if (sources.length > 0) out.write('\nSources\n')
    for (const [index, { title, url }] of sources.entries()) {
      out.write(`${index + 1}. ${withoutControls(title)}\n   ${withoutControls(url)}\n`)
    }
  }

  return {
    event({ token, final }: JsonObject) {
      if (token) showToken(token.text)
      else if (final) showFinal(final)
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
