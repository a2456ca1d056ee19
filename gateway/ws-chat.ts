// The chat's WebSockets: what an address means, which networks may connect, and what happens to all sockets of one network or
// of the process. The core knows of all blocked networks and is asked once a second, so that an upgrade can be refused at once.
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
/** How long the core may take, in milliseconds. */
const ownTimeoutMs = 3_000

/** On whose behalf the gateway asks which networks are blocked, and reports its load: its own. */
export function toOwnContext(): CallContext {
  return { origin: ownOrigin, authorization: '', team: '', signal: AbortSignal.timeout(ownTimeoutMs) }
}

/** How long turns may take to end by themselves when the process closes, in milliseconds. */
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
    /** Begins to ask the core which networks are blocked; resolves when it has been asked once. Never rejects. */
    async open() {
      await blocked.refresh()
      blocked.start()
    },
    refreshBlocks: () => blocked.refresh(),
    load: () => ({ openSockets: sockets.size, maxSockets: max }),
    /**
     * Lets turns that are ending send their end, closes every socket, and waits for at most `graceMs` until the core has
     * ended what is left.
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

/** Resolves when all work has ended and its frames are sent, or at the timeout. */
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

/** Networks that are remembered; the oldest block goes first. */
const maxKnown = 10_000
const refreshIntervalMs = 1_000
/** Until the core has answered once. */
const firstRefreshIntervalMs = 100

/** A block lasts an hour, so one that has that long to go was made within the last ten minutes. */
const newBlockSeconds = 3_000
/** A list older than this is asked for as a whole. */
const maxAgeMs = 5 * 60_000

interface BlockedNetworksOptions {
  /** The networks that are blocked for at least so many seconds still; null: the core cannot be asked. */
  list(minSeconds: number): Promise<AddressStanding[] | null>
  /** Told of networks that were not known to be blocked. */
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

  /** 0: not blocked, as far as is known here. */
  function secondsLeft(network: string): number {
    return Math.max(0, Math.ceil(((until.peek(network) ?? 0) - now()) / 1_000))
  }

  /** Asks for the list; resolves when it is known, or the core could not be asked. Never rejects. */
  async function refresh(): Promise<void> {
    const isRecent = listedAt !== null && now() - listedAt < maxAgeMs
    const blocked = await list(isRecent ? newBlockSeconds : 0)
    if (blocked === null) return
    listedAt = now()
    // The latest come first in the list, and are to be forgotten last.
    for (const standing of blocked.toReversed()) block(standing)
  }

  /** Refreshes again and again until it is closed. */
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
