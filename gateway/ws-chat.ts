// The chat's WebSockets: parses addresses, limits sockets by network, and closes all sockets of a blocked network or at shutdown.
// The core knows the blocked networks. It is polled once a second, so that an upgrade can be refused without a call.
import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import { type AddressStanding, LimitService } from '../gen/lectern/v1/limit_pb.js'
import type { CallerReader } from './caller.ts'
import { type CallContext, type CoreClient, type Origin, toOrigin } from './core-client.ts'
import { isUnforeseen, Refusal, rateLimited } from './errors.ts'
import type { HttpRequest } from './http.ts'
import type { Metrics } from './operation.ts'
import { undoEscapes } from './query.ts'
import { type CloseCode, closeCodes, type Socket, type SocketListener } from './socket.ts'
import { createConnection, type Target } from './ws-chat/connection.ts'

interface ChatSocketsOptions {
  core: CoreClient
  caller: CallerReader
  metrics: Pick<Metrics, 'socket' | 'message'>
  log: { error(what: { err: unknown; route: string }, sentence: string): void }
  max?: number | undefined
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
  const working = new Set<Promise<void>>()
  let isClosing = false

  const report = (error: unknown) => log.error({ err: error, route }, 'unexpected error')

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
        metrics.socket(-1)
        connection.gone()
      },
    }
  }

  return {
    upgrade(request: HttpRequest): (socket: Socket) => SocketListener {
      const target = readTarget(request.path)
      if (!target) throw new Refusal('not_found', 'There is nothing at this address.')
      const origin = toOrigin(caller, 'socket', request, randomUUID())
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
      await settled(working, endingMs)
      endAll(sockets, closeCodes.shutdown)
      await settled(working, graceMs)
    },
  }
}

/** Resolves when all work has ended and its frames are sent, or after the timeout. */
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

/** Maximum networks in memory. The oldest block is evicted first. */
const maxKnown = 10_000
const refreshIntervalMs = 1_000
/** Applies until the core has answered once. */
const firstRefreshIntervalMs = 100

/** A block lasts an hour: with this much time left, it is at most ten minutes old. */
const newBlockSeconds = 3_000
/** After this time, the whole list is requested again. */
const maxAgeMs = 5 * 60_000

interface BlockedNetworksOptions {
  /** Returns networks that stay blocked for at least `minSeconds`, or null if the core is unavailable. */
  list(minSeconds: number): Promise<AddressStanding[] | null>
  /** Called for each newly blocked network. */
  whenBlocked(network: string): void
  now(): number
}

export function createBlockedNetworks({ list, whenBlocked, now }: BlockedNetworksOptions) {
  const until = new LRUCache<string, number>({ max: maxKnown })
  let listedAt: number | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function block({ network, blockedSeconds }: AddressStanding): void {
    const isKnown = secondsLeft(network) > 0
    until.set(network, now() + blockedSeconds * 1_000)
    if (!isKnown && blockedSeconds > 0) whenBlocked(network)
  }

  /** 0 if the network is not known to be blocked. */
  function secondsLeft(network: string): number {
    return Math.max(0, Math.ceil(((until.peek(network) ?? 0) - now()) / 1_000))
  }

  /** Requests the list. Resolves when it is here, or the core is unavailable. Never rejects. */
  async function refresh(): Promise<void> {
    const isRecent = listedAt !== null && now() - listedAt < maxAgeMs
    const blocked = await list(isRecent ? newBlockSeconds : 0)
    if (blocked === null) return
    listedAt = now()
    // The list has the newest first. They must be evicted last.
    for (const standing of blocked.toReversed()) block(standing)
  }

  /** Polls until closed. */
  function start(): void {
    if (isClosed) return
    timer = setTimeout(
      () => refresh().then(start),
      listedAt === null ? firstRefreshIntervalMs : refreshIntervalMs,
    ).unref()
  }

  return {
    block,
    secondsLeft,
    refresh,
    start,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
