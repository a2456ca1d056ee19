// The chat's WebSockets: which address means what, who may connect, and what
// happens to all sockets of one network or of the process.
import { randomUUID } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import pTimeout from 'p-timeout'
import {
  type AddressStanding,
  LimitService,
  ListBlocksRequestSchema,
  type ListBlocksResponse,
} from '../gen/lectern/v1/limit_pb.js'
import type { CallerReader } from './caller.ts'
import type { CoreClient, Origin } from './core-client.ts'
import { isUnforeseen, toErrorAnswer } from './errors.ts'
import type { Answer, HttpRequest } from './http.ts'
import type { Metrics } from './metrics.ts'
import { undoEscapes } from './query.ts'
import { Refusal } from './refusal.ts'
import { createShares } from './shares.ts'
import { type CloseCode, closeCodes, type Socket, type SocketServer } from './socket.ts'
import { createBlockedNetworks } from './ws-chat/blocked-networks.ts'
import { createConnection, type Target } from './ws-chat/connection.ts'

interface ChatSocketsOptions {
  core: CoreClient
  caller: CallerReader
  metrics: Pick<Metrics, 'socket' | 'message'>
  log: { error(what: { err: unknown; route: string }, sentence: string): void }
  /** Open sockets of all readers. */
  max?: number | undefined
}

interface ChatSockets extends SocketServer {
  /**
   * Lets turns that are ending send their end, closes every socket, and waits for at most `graceMs` until the core has
   * ended what is left.
   */
  close(graceMs: number): Promise<void>
  /** Begins to ask the core which networks are blocked; resolves when it has been asked once. Never rejects. */
  open(): Promise<void>
  refreshBlocks(): Promise<void>
}

const route = '/ws/messages/'

/** Open sockets: of all readers unless told, and of one network. */
const defaultMax = 20_000
const maxByNetwork = 200

/** For whom the gateway asks which networks are blocked: itself. */
const ownOrigin: Origin = { surface: 'socket', address: '', origin: null, connection: null }
/** How long the core may take to say so, in milliseconds. */
const listMs = 3_000

/** How long turns may take to end by themselves when the process closes, in milliseconds. */
const endingMs = 1_000

export function createChatSockets(options: ChatSocketsOptions): ChatSockets {
  const { core, caller, metrics, log, max = defaultMax } = options
  const sockets = new Set<Socket>()
  /** Open sockets by the network they come from. */
  const networks = new Map<string, Set<Socket>>()
  const blocked = createBlockedNetworks({
    list: listBlocks,
    whenBlocked: (network) => endAll(networks.get(network) ?? [], closeCodes.blocked),
    now: Date.now,
  })
  const shares = createShares({ max, maxByNetwork })
  const working = new Set<Promise<void>>()
  let isClosing = false

  const report = (error: unknown) => log.error({ err: error, route }, 'unexpected error')

  /** Null while the core is away. */
  async function listBlocks(minSeconds: number): Promise<AddressStanding[] | null> {
    try {
      const context = { origin: ownOrigin, authorization: '', team: '', signal: AbortSignal.timeout(listMs) }
      const request = create(ListBlocksRequestSchema, { minSeconds })
      const answer = await core.call(LimitService.method.listBlocks, request, context)
      return (answer as ListBlocksResponse).blocked
    } catch (error) {
      if (isUnforeseen(error)) report(error)
      return null
    }
  }

  function endAll(sockets: Iterable<Socket>, close: CloseCode): void {
    for (const socket of [...sockets]) socket.end(close)
  }

  function open(socket: Socket, target: Target, origin: Origin, network: string) {
    const track = (work: Promise<void>) => {
      const ended = work.catch(report).finally(() => working.delete(ended))
      working.add(ended)
    }
    sockets.add(socket)
    metrics.socket(1)
    if (isClosing) setImmediate(() => socket.end(closeCodes.shutdown))
    const those = networks.get(network) ?? new Set()
    networks.set(network, those.add(socket))
    const connection = createConnection({
      socket,
      target,
      origin,
      core,
      report,
      whenAnswered: metrics.message,
      whenBlocked: (standing) => {
        blocked.block(standing)
        socket.end(closeCodes.blocked)
      },
      track,
    })
    return {
      ...connection,
      gone() {
        sockets.delete(socket)
        those.delete(socket)
        if (those.size === 0) networks.delete(network)
        shares.giveBack(network, 1)
        metrics.socket(-1)
        connection.gone()
      },
    }
  }

  return {
    upgrade(request) {
      const target = readTarget(request.path)
      if (!target) return toErrorAnswer(new Refusal('not_found', 'There is nothing at this address.'))
      const origin = originOf(request, caller)
      const network = caller.network(request)
      const seconds = blocked.secondsLeft(network)
      if (seconds > 0) return tooMany('Too many messages came from this address.', seconds)
      if (isClosing) return toErrorAnswer(new Refusal('unavailable', 'The server is going away.'))
      const full = shares.take(network, 1)
      if (full === 'network') return tooMany('Too many sockets are open from this address.', 60)
      if (full) return toErrorAnswer(new Refusal('unavailable', 'Too many sockets are open.'))
      return (socket) => open(socket, target, origin, network)
    },
    async open() {
      await blocked.refresh()
      blocked.start()
    },
    refreshBlocks: () => blocked.refresh(),
    async close(graceMs) {
      isClosing = true
      blocked.close()
      await settled(working, endingMs)
      endAll(sockets, closeCodes.shutdown)
      await settled(working, graceMs)
    },
  }
}

function tooMany(sentence: string, seconds: number): Answer {
  return toErrorAnswer(new Refusal('rate_limited', sentence, {}, { 'retry-after': String(seconds) }))
}

/** Resolves when all of the work has ended and what it sent is on its way, or the timeout is over. */
async function settled(work: Iterable<Promise<void>>, timeoutMs: number): Promise<void> {
  await pTimeout(Promise.allSettled(work), { milliseconds: timeoutMs, message: false })
  await new Promise((resolve) => setImmediate(resolve))
}

/** `/ws/messages/chat/{chat_uuid}/` and `/ws/messages/{slug or uuid}/`, with or without the slash at the end. */
function readTarget(path: string): Target | null {
  const [, first, second] = /^\/ws\/messages\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  if (first === undefined) return null
  if (second === undefined) return { slug: undoEscapes(first), chatUuid: '' }
  return first === 'chat' ? { slug: '', chatUuid: undoEscapes(second) } : null
}

function originOf(request: HttpRequest, caller: CallerReader): Origin {
  return {
    surface: 'socket',
    address: caller.address(request),
    clientAddress: caller.clientAddress(request),
    origin: caller.origin(request),
    connection: randomUUID(),
  }
}
