// One socket of the chat: each message is read, counted, checked and answered, one turn at a time. A key counts from the message
// that brings it; it is checked anew with every message.
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { ChatService, RetrievalMode, type SendMessageRequestSchema } from '../../gen/lectern/v1/chat_pb.js'
import { type AddressStanding, LimitService } from '../../gen/lectern/v1/limit_pb.js'
import type { CallContext, CoreClient, Origin } from '../core-client.ts'
import { isBackendAway, isUnforeseen } from '../errors.ts'
import { isObject } from '../json/read.ts'
import { closeCodes, type Socket, type SocketListener } from '../socket.ts'
import { type ChatError, toErrorFrame } from './frames.ts'
import { createOutbox, relayTurn } from './relay.ts'

/** Made once, for an error's stack is costly. */
const readerGone = new ConnectError('the reader is gone', Code.Canceled)

const maxMessageBytes = 64 * 1024

/** What the path of the socket names: a project (slug or UUID), or a chat. The other is ''. */
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
  /** Told of a message's work until it has ended. */
  track(work: Promise<void>): void
  /** Told of each message's end. */
  whenAnswered(stopReason: string): void
  report(error: unknown): void
}

export function createConnection(options: ConnectionOptions): SocketListener {
  const { socket, target, origin, core, report } = options
  const outbox = createOutbox(socket)
  const burst = createBurst(() => performance.now())
  const gone = new AbortController()
  let apiKey = ''
  /** Whether a message is taken and its final frame not yet sent. */
  let isBusy = false
  /** The core's end of the last turn: its stream may go on a little after the final frame. */
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
      return outbox.push(toErrorFrame(refused, context))
    }

    if (frame.apiKey) apiKey = frame.apiKey
    const message = frame.outcome as Exclude<Frame['outcome'], string>
    const request = {
      ...{ ...message, slug: target.slug, progress: requestId !== null },
      // On a chat's own address that chat is meant.
      chatUuid: target.chatUuid || message.chatUuid!,
    }
    const takeBack = burst.accept()
    const before = lastTurn
    const turn = Promise.withResolvers<void>()
    lastTurn = turn.promise
    await before
    const error = await relayTurn({
      // A turn needs the store, too: the reader has waited for it once.
      events: storeAway
        ? Promise.reject(storeAway)
        : core.stream(ChatService.method.sendMessage, request, callContext()),
      context,
      outbox,
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
    drain: () => outbox.drain(),
    gone() {
      outbox.close()
      gone.abort(readerGone)
    },
  }
}

/** Text that no header can carry is no key. */
function toAuthorization(apiKey: string): string {
  return /^[\x21-\x7e]+$/.test(apiKey) ? `Api-Key ${apiKey}` : ''
}

const windowMs = 30_000
const maxCount = 10

/** `now` in milliseconds. */
export function createBurst(now: () => number) {
  let accepted: number[] = []
  return {
    /** Seconds until the next message is accepted; 0: it is now. */
    wait(): number {
      accepted = accepted.filter((at) => now() - at < windowMs)
      const [first] = accepted
      if (first === undefined || accepted.length < maxCount) return 0
      return Math.ceil((first + windowMs - now()) / 1000)
    },
    /** Notes that a message is accepted; the returned function undoes it. */
    accept(): () => void {
      const at = now()
      accepted.push(at)
      return () => {
        accepted.splice(accepted.indexOf(at), 1)
      }
    },
  }
}

interface Frame {
  /** The turn's identifier where progress was negotiated, else null. Read of a faulty message too, if it can be. */
  requestId: string | null
  /** '' without one. */
  apiKey: string
  /** The message as the core takes it, without what the socket's path says; or a sentence for a person. */
  outcome: MessageInitShape<typeof SendMessageRequestSchema> | string
}

type Fields = Record<string, unknown>

const progressCapability = 'activity.v1'
const requestIdForm = /^[A-Za-z0-9._:-]{1,80}$/

/** Left out of the message where they are empty. */
const optionalTexts = ['url', 'email', 'version', 'language'] as const
const texts = ['chatId', 'apiKey', 'restoreToken', ...optionalTexts]

/** Unknown fields are ignored; null counts as absent, and so does '' where nothing can be meant by it. */
export function readFrame(bytes: Uint8Array): Frame {
  const fields = readJson(bytes)
  if (fields === null) {
    return { requestId: null, apiKey: '', outcome: 'A message must be a JSON object in UTF-8.' }
  }
  const fault = findFault(fields)
  const apiKey = fault === null ? ((fields.apiKey ?? '') as string) : ''
  return { requestId: readRequestId(fields), apiKey, outcome: fault ?? toMessage(fields) }
}

/** A client asks for progress with the capability and a valid requestId; one without the other counts as neither. */
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

/** Lengths are for the core to check. */
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
