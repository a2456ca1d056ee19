// The chat's WebSockets: parses addresses, limits sockets by network, reads and answers messages, and closes all sockets of a blocked
// network or at shutdown.
import { randomUUID } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import pTimeout from 'p-timeout'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { type AddressStanding, LimitService } from '../gen/lectern/v1/limit_pb.js'
import type { CallerReader } from './caller.ts'
import type { CallContext, CoreClient, Origin } from './core-client.ts'
import { isBackendAway, isUnforeseen, Refusal, rateLimited } from './errors.ts'
import type { HttpRequest } from './http.ts'
import type { Metrics } from './operation.ts'
import { undoEscapes } from './query.ts'
import { type CloseCode, closeCodes, type Socket, type SocketListener } from './socket.ts'
import { createBlockedNetworks } from './ws-chat/blocked-networks.ts'
import { type ChatError, type Frame, readFrame, toErrorFrame } from './ws-chat/frames.ts'
import { relayTurn } from './ws-chat/relay.ts'

interface ChatSocketsOptions {
  core: CoreClient
  caller: CallerReader
  metrics: Pick<Metrics, 'socket' | 'message'>
  log: { error(what: { err: unknown; route: string }, sentence: string): void }
  max?: number | undefined
}

/** Created once, because capturing a stack is slow. */
const readerGone = new ConnectError('the reader is gone', Code.Canceled)

const maxMessageBytes = 64 * 1024

/** The project (slug or UUID) or the chat in the socket's path. The other is ''. */
interface Target {
  slug: string
  chatUuid: string
}

const route = '/ws/messages/'

/** Maximum open sockets: in total (default), and of one network. */
const defaultMax = 20_000
const maxByNetwork = 200

const ownOrigin: Origin = { surface: 'socket', address: '', origin: null, connection: null }
/** Timeout of the gateway's own calls to the core. */
const ownTimeoutMs = 3_000

/** The context of the gateway's own calls, such as reports of its load. */
export function toOwnContext(): CallContext {
  return { origin: ownOrigin, authorization: '', team: '', signal: AbortSignal.timeout(ownTimeoutMs) }
}

/** Milliseconds for turns to end by themselves when the process closes. */
const endingMs = 1_000

export function createChatSockets(options: ChatSocketsOptions) {
  const { core, caller, metrics, log, max = defaultMax } = options
  const sockets = new Set<Socket>()
  const networks = new Map<string, Set<Socket>>()
  const blocked = createBlockedNetworks({
    list: listBlocks,
    whenBlocked: (network) => endAll(networks.get(network) ?? [], closeCodes.blocked),
    now: Date.now,
  })
  const unfinished = new Set<Promise<void>>()
  let isClosing = false

  const report = (error: unknown) => log.error({ err: error, route }, 'unexpected error')

  /** Lets `close` wait for the work of a message. */
  function track(work: Promise<void>): void {
    const ended = work.catch(report).finally(() => unfinished.delete(ended))
    unfinished.add(ended)
  }

  /** Null while the core is unavailable. */
  async function listBlocks(minSeconds: number): Promise<AddressStanding[] | null> {
    try {
      const { blocked } = await core.call(LimitService.method.listBlocks, { minSeconds }, toOwnContext())
      return blocked
    } catch (error) {
      if (isUnforeseen(error)) report(error)
      return null
    }
  }

  function endAll(sockets: Iterable<Socket>, close: CloseCode): void {
    for (const socket of [...sockets]) socket.end(close)
  }

  /** Answers the messages of one socket. A key is used from the message that contains it, and is checked again with every message. */
  function open(socket: Socket, target: Target, origin: Origin, network: string): SocketListener {
    sockets.add(socket)
    metrics.socket(1)
    if (isClosing) setImmediate(() => socket.end(closeCodes.shutdown))
    const networkSockets = networks.get(network) ?? new Set()
    networks.set(network, networkSockets.add(socket))
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

    /** Reads, counts, checks and answers a message, one turn at a time. */
    async function receive(bytes: Uint8Array): Promise<void> {
      const frame = readFrame(bytes)
      const { requestId } = frame
      const context = { requestId, projectId: target.slug }
      const refused = toRefusal(frame.outcome)
      if (!refused) isBusy = true
      const { isBlocked, storeAway } = await count()
      if (gone.signal.aborted || isBlocked) return
      if (refused) {
        metrics.message(refused.stopReason)
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
          metrics.message(gone.signal.aborted ? 'disconnected' : stopReason)
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
        if (isBlocked) {
          blocked.block(standing)
          socket.end(closeCodes.blocked)
        }
        return { isBlocked }
      } catch (error) {
        if (isUnforeseen(error) && !gone.signal.aborted) report(error)
        return { isBlocked: false, ...(isBackendAway(error) && { storeAway: error }) }
      }
    }

    return {
      message: (bytes) => track(bytes.byteLength > maxMessageBytes ? refuseSize() : receive(bytes)),
      gone() {
        sockets.delete(socket)
        networkSockets.delete(socket)
        if (networkSockets.size === 0) networks.delete(network)
        metrics.socket(-1)
        gone.abort(readerGone)
      },
    }
  }

  return {
    upgrade(request: HttpRequest): (socket: Socket) => SocketListener {
      const target = readTarget(request.path)
      if (!target) throw new Refusal('not_found', 'There is nothing at this address.')
      const { origin } = caller.context('socket', request, randomUUID())
      const network = caller.network(request)
      const seconds = blocked.secondsLeft(network)
      if (seconds > 0) throw rateLimited('Too many messages came from this address.', seconds)
      if (isClosing) throw new Refusal('unavailable', 'The server is shutting down.')
      const isFull = (networks.get(network)?.size ?? 0) >= maxByNetwork
      if (isFull) throw rateLimited('Too many sockets are open from this address.', 60)
      if (sockets.size >= max) throw new Refusal('unavailable', 'Too many sockets are open.')
      return (socket) => open(socket, target, origin, network)
    },
    /** Starts to poll the core for blocked networks. Resolves after the first poll. Never rejects. */
    async open() {
      await blocked.refresh()
      blocked.start()
    },
    refreshBlocks: () => blocked.refresh(),
    load: () => ({ openSockets: sockets.size, maxSockets: max }),
    /**
     * Lets ending turns send their final frame, closes every socket, and waits up to `graceMs` for the core to end the
     * remaining turns.
     */
    async close(graceMs: number) {
      isClosing = true
      blocked.close()
      await settled(unfinished, endingMs)
      endAll(sockets, closeCodes.shutdown)
      await settled(unfinished, graceMs)
    },
  }
}

/** Resolves when all work has ended and its frames are sent, or after the timeout. */
async function settled(work: Iterable<Promise<void>>, timeoutMs: number): Promise<void> {
  await pTimeout(Promise.allSettled(work), { milliseconds: timeoutMs, message: false })
  await new Promise((resolve) => setImmediate(resolve))
}

/** `/ws/messages/chat/{chat_uuid}/` and `/ws/messages/{slug or uuid}/`, with or without the slash at the end. */
export function readTarget(path: string): Target | null {
  const [, first, second] = /^\/ws\/messages\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  if (first === undefined) return null
  if (second === undefined) return { slug: undoEscapes(first), chatUuid: '' }
  return first === 'chat' ? { slug: '', chatUuid: undoEscapes(second) } : null
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
