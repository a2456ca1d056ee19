// One socket of the chat. Reads, counts, checks and answers messages, one turn at a time. A key is used from the message that
// contains it, and is checked again with every message.
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { ChatService, RetrievalMode, type SendMessageRequestSchema } from '../../gen/lectern/v1/chat_pb.js'
import { type AddressStanding, LimitService } from '../../gen/lectern/v1/limit_pb.js'
import type { CallContext, CoreClient, Origin } from '../core-client.ts'
import { isBackendAway, isUnforeseen } from '../errors.ts'
import { isObject } from '../json/read.ts'
import { closeCodes, type Socket, type SocketListener } from '../socket.ts'
import { type ChatError, toErrorFrame } from './frames.ts'
import { relayTurn } from './relay.ts'

/** Created once, because capturing a stack is slow. */
const readerGone = new ConnectError('the reader is gone', Code.Canceled)

const maxMessageBytes = 64 * 1024

/** The project (slug or UUID) or the chat in the socket's path. The other is ''. */
export interface Target {
  slug: string
  chatUuid: string
}

interface ConnectionOptions {
  socket: Socket
  target: Target
  origin: Origin
  core: CoreClient
  /** Called when the address is blocked: closes its sockets. */
  whenBlocked(standing: AddressStanding): void
  /** Called with the pending work of each message. */
  track(work: Promise<void>): void
  /** Called when a message has been answered. */
  whenAnswered(stopReason: string): void
  report(error: unknown): void
}

export function createConnection(options: ConnectionOptions): SocketListener {
  const { socket, target, origin, core, report } = options
  const burst = createBurst()
  const gone = new AbortController()
  let apiKey = ''
  /** Whether a message was accepted and its final frame not yet sent. */
  let isBusy = false
  /** Settles when the core has ended the last turn. Its stream may continue shortly after the final frame. */
  let lastTurn: Promise<void> = Promise.resolve()

  function callContext(): CallContext {
    return { origin, authorization: toAuthorization(apiKey), team: '', signal: gone.signal }
  }

  async function receive(bytes: Uint8Array): Promise<void> {
    const frame = readFrame(bytes)
    const { requestId } = frame
    const context = { requestId, projectId: target.slug }
    const refused = toRefusal(frame.outcome)
    if (!refused) isBusy = true
    const { isBlocked, storeAway } = await count()
    if (gone.signal.aborted || isBlocked) return
    if (refused) {
      options.whenAnswered(refused.stopReason)
      return socket.push(toErrorFrame(refused, context))
    }

    if (frame.apiKey) apiKey = frame.apiKey
    const message = frame.outcome as Exclude<Frame['outcome'], string>
    const request = {
      ...{ ...message, slug: target.slug, progress: requestId !== null },
      // The chat in the socket's path wins.
      chatUuid: target.chatUuid || message.chatUuid!,
    }
    const takeBack = burst.accept()
    const before = lastTurn
    const turn = Promise.withResolvers<void>()
    lastTurn = turn.promise
    await before
    const error = await relayTurn({
      // A turn also needs the store, so it would fail after another wait.
      events: storeAway
        ? Promise.reject(storeAway)
        : core.stream(ChatService.method.sendMessage, request, callContext()),
      context,
      socket,
      gone: gone.signal,
      whenAnswered(stopReason) {
        isBusy = false
        options.whenAnswered(gone.signal.aborted ? 'disconnected' : stopReason)
      },
    })
    if (error !== null) {
      takeBack()
      if (isUnforeseen(error) && !gone.signal.aborted) report(error)
    }
    turn.resolve()
  }

  async function refuseSize(): Promise<void> {
    const { isBlocked } = await count()
    if (!isBlocked) socket.end(closeCodes.tooBig)
  }

  function toRefusal(outcome: Frame['outcome']): ChatError | null {
    if (typeof outcome === 'string') {
      return { stopReason: 'invalid_message', sentence: outcome, retryable: false }
    }
    if (isBusy) {
      const sentence = 'The last message is still being answered. Please wait for its answer.'
      return { stopReason: 'busy', sentence, retryable: true }
    }
    const seconds = burst.wait()
    const sentence = `Too many messages at once. Try again in ${seconds} s.`
    return seconds > 0 ? { stopReason: 'rate_limited', sentence, retryable: true } : null
  }

  /** Counts the message. No address is blocked while the core or its store is unavailable. */
  async function count(): Promise<{ isBlocked: boolean; storeAway?: unknown }> {
    try {
      const { standing } = await core.call(LimitService.method.countMessage, {}, callContext())
      const isBlocked = standing !== undefined && standing.blockedSeconds > 0
      if (isBlocked) options.whenBlocked(standing)
      return { isBlocked }
    } catch (error) {
      if (isUnforeseen(error) && !gone.signal.aborted) report(error)
      return { isBlocked: false, ...(isBackendAway(error) && { storeAway: error }) }
    }
  }

  return {
    message(bytes) {
      options.track(bytes.byteLength > maxMessageBytes ? refuseSize() : receive(bytes))
    },
    gone: () => gone.abort(readerGone),
  }
}

/** Returns '' if the text cannot be sent in a header, because then it is not a key. */
function toAuthorization(apiKey: string): string {
  return /^[\x21-\x7e]+$/.test(apiKey) ? `Api-Key ${apiKey}` : ''
}

const windowMs = 30_000
const maxCount = 10

function createBurst() {
  let accepted: number[] = []
  return {
    /** Seconds until the next message is accepted. 0: now. */
    wait(): number {
      const now = performance.now()
      accepted = accepted.filter((at) => now - at < windowMs)
      const [first] = accepted
      if (first === undefined || accepted.length < maxCount) return 0
      return Math.ceil((first + windowMs - now) / 1000)
    },
    /** Counts an accepted message. The returned function undoes it. */
    accept(): () => void {
      const at = performance.now()
      accepted.push(at)
      return () => {
        accepted.splice(accepted.indexOf(at), 1)
      }
    },
  }
}

interface Frame {
  /** The turn's identifier if progress was negotiated, else null. Also read from invalid messages, if possible. */
  requestId: string | null
  /** '' if the message has none. */
  apiKey: string
  /** The request to the core, without the fields from the socket's path. A sentence for a person if the message is invalid. */
  outcome: MessageInitShape<typeof SendMessageRequestSchema> | string
}

type Fields = Record<string, unknown>

const progressCapability = 'activity.v1'
const requestIdForm = /^[A-Za-z0-9._:-]{1,80}$/

/** Omitted from the message if empty. */
const optionalTexts = ['url', 'email', 'version', 'language'] as const
const texts = ['chatId', 'apiKey', 'restoreToken', ...optionalTexts]

/** Ignores unknown fields. Null means absent, and so does '' where it has no meaning. */
export function readFrame(bytes: Uint8Array): Frame {
  const fields = readJson(bytes)
  if (fields === null) {
    return { requestId: null, apiKey: '', outcome: 'A message must be a JSON object in UTF-8.' }
  }
  const fault = findFault(fields)
  const apiKey = fault === null ? ((fields.apiKey ?? '') as string) : ''
  return { requestId: readRequestId(fields), apiKey, outcome: fault ?? toMessage(fields) }
}

/** A client negotiates progress with the capability and a valid requestId. One without the other is ignored. */
function readRequestId({ capabilities, requestId }: Fields): string | null {
  const isAsked = Array.isArray(capabilities) && capabilities.includes(progressCapability)
  return isAsked && typeof requestId === 'string' && requestIdForm.test(requestId) ? requestId : null
}

function readJson(bytes: Uint8Array): Fields | null {
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isObject(json) ? (json as Fields) : null
  } catch {
    return null
  }
}

/** The core checks lengths. */
function findFault(fields: Fields): string | null {
  const { message, thinkMode } = fields
  if (typeof message !== 'string' || message.trim() === '') return 'message must be a text that is not empty.'
  const wrong = texts.find((name) => typeof (fields[name] ?? '') !== 'string')
  if (wrong) return `${wrong} must be a string.`
  if (typeof (thinkMode ?? false) !== 'boolean') return 'thinkMode must be true or false.'
  const broken = ['message', ...texts].find((name) => !((fields[name] ?? '') as string).isWellFormed())
  return broken ? `${broken} must be valid Unicode.` : null
}

function toMessage(fields: Fields) {
  const { chatId, restoreToken, metadata, thinkMode, retrievalMode } = fields
  const { AUTO, INSTANT, UNSPECIFIED } = RetrievalMode
  const optional = optionalTexts.filter((name) => fields[name]).map((name) => [name, fields[name]])
  return {
    message: fields.message as string,
    chatUuid: (chatId ?? '') as string,
    restoreToken: (restoreToken ?? '') as string,
    ...Object.fromEntries(optional),
    ...(typeof metadata === 'string' && metadata && { metadata: metadata.toWellFormed() }),
    ...(typeof thinkMode === 'boolean' && { thinkMode }),
    retrievalMode: retrievalMode === 'auto' ? AUTO : retrievalMode === 'instant' ? INSTANT : UNSPECIFIED,
  }
}
