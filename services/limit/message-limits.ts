// Message limits: a fixed window per chat, a fixed window per network address, and a block of addresses that exceed theirs. They
// apply to all surfaces together, across all processes of the store. With LimitService, the gateway counts messages of its
// sockets.

import type { ServiceImpl } from '@connectrpc/connect'
import type { LimitService } from '../../gen/lectern/v1/limit_pb.js'
import { type Caller, callerOf, may, projectKey } from '../context.ts'
import { rateLimited } from '../errors.ts'
import type { LimitStore } from '../store/limit.ts'
import type { Project } from '../store/project.ts'

/** Whether an address is blocked. */
interface BlockStatus {
  /** Hash of the network (network-key.ts). */
  network: string
  /** Seconds until the block ends; 0: not blocked. */
  blockedSeconds: number
}

export type MessageLimits = ReturnType<typeof createMessageLimits>

interface MessageLimitDeps {
  limits: LimitStore
  /** See network-key.ts. */
  networkKey(address: string): string
  now(): Date
  /** Receives errors that do not fail the call. */
  report(error: unknown): void
}

const windowMs = 60_000
const maxOfChat = 15
const maxOfAddress = 100
const blockMs = 60 * 60_000
const maxListed = 10_000
/** How often expired windows are dropped. */
const pruneEveryMs = 60_000

export function createMessageLimits(deps: MessageLimitDeps) {
  const { limits, networkKey, report } = deps
  const now = () => deps.now().getTime()
  let prunedAt = 0

  function prune(at: number): void {
    if (at - prunedAt < pruneEveryMs) return
    prunedAt = at
    limits.prune(at).catch(report)
  }

  /** Counts a message from an address, and blocks the address if it exceeds the limit. */
  async function countAddress(address: string): Promise<BlockStatus> {
    const at = now()
    prune(at)
    const key = toKey(networkKey(address))
    const { count } = await limits.hit(key, windowMs, at)
    let until = await limits.blockedUntil(key)
    if (count > maxOfAddress && until <= at) {
      until = at + blockMs
      await limits.block(key, until)
    }
    return toStatus(key, until, at)
  }

  return {
    countAddress,
    /**
     * Counts a message by network address, unless the caller's key may chat with the project (null: unknown). Throws DomainError
     * rate_limited if the limit is exceeded.
     */
    async count(caller: Caller, project: Project | null): Promise<void> {
      // The gateway counts all frames of a socket, also those that are not messages.
      if (caller.surface === 'socket' || isExempt(caller, project)) return
      const { blockedSeconds } = await countAddress(caller.address)
      if (blockedSeconds > 0) throw rateLimited('Too many messages came from this address.', blockedSeconds)
    },
    /** Undoes `count` for a message that was rejected only for lack of capacity. */
    async takeBack(caller: Caller, project: Project): Promise<void> {
      if (!isExempt(caller, project)) await limits.takeBack(toKey(networkKey(caller.address)), now())
    },
    /** Counts a message by chat, with the same exception. Throws DomainError rate_limited if the limit is exceeded. */
    async countChat(caller: Caller, project: Project, chat: string): Promise<void> {
      if (isExempt(caller, project)) return
      const at = now()
      const { count, endsAt } = await limits.hit(`chat:${chat}`, windowMs, at)
      if (count > maxOfChat) throw rateLimited('Too many messages in this chat.', secondsLeft(endsAt, at))
    },
    async statusOf(address: string): Promise<BlockStatus> {
      const key = toKey(networkKey(address))
      return toStatus(key, await limits.blockedUntil(key), now())
    },
    /** Lists addresses that are blocked for more than `minSeconds`, the latest end first. */
    async blocked(minSeconds: number): Promise<BlockStatus[]> {
      const at = now()
      const blocks = await limits.blocks(at + minSeconds * 1000, maxListed)
      return blocks
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, until }) => toStatus(key, until, at))
    },
    /** Lists the addresses with the most messages in their current window. */
    async busiest(limit: number) {
      const windows = await limits.busiest(prefix, now(), limit)
      return windows.map(({ key, count, endsAt }) => ({
        ...{ network: key.slice(prefix.length), messages: count, maxMessages: maxOfAddress, endsAt },
      }))
    },
  }
}

/** Whether the caller has no limit. Messages over a socket always count. */
function isExempt(caller: Caller, project: Project | null): boolean {
  return caller.surface !== 'socket' && project !== null && may(caller, project, 'chats_create')
}

const prefix = 'network:'

function toKey(network: string): string {
  return prefix + network
}

function toStatus(key: string, until: number, now: number): BlockStatus {
  return { network: key.slice(prefix.length), blockedSeconds: secondsLeft(until, now) }
}

function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000))
}

export function createLimitService(limits: MessageLimits): Partial<ServiceImpl<typeof LimitService>> {
  return {
    async countMessage(_request, context) {
      const caller = callerOf(context)
      const project = context.values.get(projectKey)
      if (project && may(caller, project, 'chats_create')) return {}
      return { standing: await limits.countAddress(caller.address) }
    },
    async getBlock(_request, context) {
      return { standing: await limits.statusOf(callerOf(context).address) }
    },
    async listBlocks({ minSeconds }) {
      return { blocked: await limits.blocked(minSeconds) }
    },
  }
}
