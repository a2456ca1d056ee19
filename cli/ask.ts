// `lectern ask`: an answer as it is written, then its sources.
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { RetrievalMode, SendMessageRequestSchema } from '../gen/lectern/v1/chat_pb.js'
import { type TurnEvent, TurnEventSchema } from '../gen/lectern/v1/turn_pb.js'
import { createAnswerPrinter, type EventPrinter, isWhole } from './answer-printer.ts'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson } from './print.ts'

interface AskOptions extends PrintOptions {
  /** The chat to go on with, and the authority over it. */
  chat?: string
  token?: string
  think?: boolean
  instant?: boolean
}

/** As shells say it: 128 + SIGINT. */
const interruptedCode = 130

/** Sets exit code 1 where there is no whole answer, 130 where Ctrl-C stopped it. */
export async function ask(
  client: CoreClient,
  slug: string,
  message: string,
  options: AskOptions,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  const printer = options.json ? jsonPrinter : createAnswerPrinter(process.stdout, process.stderr)
  try {
    const stream = client.chats.sendMessage(toRequest(slug, message, options), { signal: stop.signal })
    for await (const { event } of stream) if (event) take(event, printer)
  } catch (error) {
    printer.breakOff()
    if (!stop.signal.aborted || ConnectError.from(error).code !== Code.Canceled) throw error
    process.stderr.write('Stopped.\n')
    process.exitCode = interruptedCode
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function toRequest(slug: string, message: string, { chat, token, think, instant }: AskOptions) {
  return create(SendMessageRequestSchema, {
    slug,
    message,
    chatUuid: chat ?? '',
    restoreToken: token ?? '',
    progress: true,
    metadata: 'cli',
    retrievalMode: instant ? RetrievalMode.INSTANT : RetrievalMode.UNSPECIFIED,
    ...(think && { thinkMode: true }),
  })
}

const jsonPrinter: EventPrinter = {
  event: (event) => printJson(TurnEventSchema, event),
  breakOff() {},
}

function take(event: TurnEvent, printer: EventPrinter): void {
  printer.event(event)
  if (event.event.case === 'final' && !isWhole(event.event.value)) process.exitCode = 1
}
