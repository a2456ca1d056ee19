// The chat's WebSockets (interface.md "WebSocket endpoints"): which address means what, who may connect, and what
// happens to all sockets of one network or of the process.
import { randomUUID } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { GetBlockRequestSchema, type GetBlockResponse, LimitService } from '../gen/lectern/v1/limit_pb.js'
import type { CallerReader } from './caller.ts'
import type { CoreClient, Origin } from './core-client.ts'
import { isUnforeseen, toErrorAnswer } from './errors.ts'
import type { Answer, HttpRequest } from './http.ts'
import type { Metrics } from './metrics.ts'
import { undoEscapes } from './query.ts'
import { Refusal } from './refusal.ts'
import { type CloseCode, closeCodes, type Socket, type SocketServer } from './socket.ts'
import { createConnection, type Target } from './ws-chat/connection.ts'

export interface ChatSocketsOptions {
  core: CoreClient
  caller: CallerReader
  metrics: Pick<Metrics, 'socket' | 'message'>
  log: { error(what: { err: unknown; route: string }, sentence: string): void }
}

export interface ChatSockets extends SocketServer {
  /**
   * Lets turns that are ending send their end, closes every socket, and waits for at most `graceMs` until the core has
   * ended what is left.
   */
  close(graceMs: number): Promise<void>
}

const route = '/ws/messages/'

/** How long turns may take to end by themselves when the process closes, in milliseconds. */
const endingMs = 1_000

export function createChatSockets({ core, caller, metrics, log }: ChatSocketsOptions): ChatSockets {
  /** Open sockets by the network they come from. */
  const networks = new Map<string, Set<Socket>>()
  const working = new Set<Promise<void>>()
  let isClosing = false

  const report = (error: unknown) => log.error({ err: error, route }, 'unexpected error')

  async function standingOf(request: HttpRequest, origin: Origin) {
    try {
      const asker = { origin, authorization: '', team: '', signal: request.signal }
      const answer = await core.call(LimitService.method.getBlock, create(GetBlockRequestSchema), asker)
      return (answer as GetBlockResponse).standing ?? unknownStanding
    } catch (error) {
      // The first message tells the reader that the core is away.
      if (isUnforeseen(error) && !request.signal.aborted) report(error)
      return unknownStanding
    }
  }

  function endAll(sockets: Iterable<Socket>, close: CloseCode): void {
    for (const socket of [...sockets]) socket.end(close)
  }

  function open(socket: Socket, network: string, target: Target, origin: Origin) {
    const sockets = networks.get(network) ?? new Set()
    networks.set(network, sockets.add(socket))
    metrics.socket(1)
    if (isClosing) setImmediate(() => socket.end(closeCodes.shutdown))
    const connection = createConnection({
      socket,
      target,
      origin,
      core,
      report,
      whenAnswered: metrics.message,
      whenBlocked: (standing) =>
        endAll([socket, ...(networks.get(standing.network) ?? [])], closeCodes.blocked),
      track(work) {
        const ended = work.catch(report).finally(() => working.delete(ended))
        working.add(ended)
      },
    })
    return {
      ...connection,
      gone() {
        sockets.delete(socket)
        if (sockets.size === 0) networks.delete(network)
        metrics.socket(-1)
        connection.gone()
      },
    }
  }

  return {
    async upgrade(request) {
      const target = readTarget(request.path)
      if (!target) return refusal(new Refusal('not_found', 'There is nothing at this address.'))
      const origin = originOf(request, caller)
      const { network, blockedSeconds } = await standingOf(request, origin)
      if (blockedSeconds > 0) {
        const wait = { 'retry-after': String(blockedSeconds) }
        return refusal(new Refusal('rate_limited', 'Too many messages came from this address.', {}, wait))
      }
      if (isClosing) return refusal(new Refusal('unavailable', 'The server is going away.'))
      return (socket) => open(socket, network, target, origin)
    },
    async close(graceMs) {
      isClosing = true
      await settled(working, endingMs)
      for (const sockets of networks.values()) endAll(sockets, closeCodes.shutdown)
      await settled(working, graceMs)
    },
  }
}

/** Resolves when all of the work has ended and what it sent is on its way, but after so many milliseconds at most. */
async function settled(work: Iterable<Promise<void>>, mostMs: number): Promise<void> {
  const tooLate = Promise.withResolvers<void>()
  const timer = setTimeout(tooLate.resolve, mostMs)
  await Promise.race([Promise.allSettled(work), tooLate.promise])
  clearTimeout(timer)
  await new Promise((resolve) => setImmediate(resolve))
}

const unknownStanding = { network: '', blockedSeconds: 0 }

/** `/ws/messages/chat/{chat_uuid}/` and `/ws/messages/{slug or uuid}/`, with or without the slash at the end. */
export function readTarget(path: string): Target | null {
  const [, first, second] = /^\/ws\/messages\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  if (first === undefined) return null
  if (second === undefined) return { slug: undoEscapes(first), chatUuid: '' }
  return first === 'chat' ? { slug: '', chatUuid: undoEscapes(second) } : null
}

function originOf(request: HttpRequest, caller: CallerReader): Origin {
  return {
    surface: 'socket',
    address: caller.address(request),
    origin: request.headers.origin || null,
    connection: randomUUID(),
  }
}

function refusal(reason: Refusal): Answer {
  return toErrorAnswer(reason)
}
