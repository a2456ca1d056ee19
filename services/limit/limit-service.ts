// Messages by network address: a fixed window over every message received, and a block of those who exceed it
// (decisions.md section 6).
import type { ServiceImpl } from '@connectrpc/connect'
import type { LimitService } from '../../gen/lectern/v1/limit_pb.js'
import { callerOf } from '../context.ts'
import type { LimitStore } from '../store/chat.ts'

const windowMs = 60_000
/** Messages that a window holds; the next one blocks. */
const greatestCount = 100
const blockMs = 3_600_000
/** How often what has ended is forgotten. */
const pruneEveryMs = 60_000

export interface LimitDeps {
  limits: LimitStore
  /** See network-key.ts. */
  networkKey(address: string): string
  now(): Date
  /** Told of what went wrong beside the call; the call goes on. */
  report(error: unknown): void
}

export function createLimitService(deps: LimitDeps): Partial<ServiceImpl<typeof LimitService>> {
  const { limits, networkKey, report } = deps
  let prunedAt = 0

  return {
    async countMessage(_request, context) {
      const now = deps.now().getTime()
      if (now - prunedAt >= pruneEveryMs) {
        prunedAt = now
        limits.prune(now).catch(report)
      }
      const network = networkKey(callerOf(context).address)
      const { count } = await limits.hit(keyOf(network), windowMs, now)
      let until = await limits.blockedUntil(keyOf(network))
      if (count > greatestCount && until <= now) {
        until = now + blockMs
        await limits.block(keyOf(network), until)
      }
      return { standing: { network, blockedSeconds: secondsLeft(until, now) } }
    },
    async getBlock(_request, context) {
      const network = networkKey(callerOf(context).address)
      const until = await limits.blockedUntil(keyOf(network))
      return { standing: { network, blockedSeconds: secondsLeft(until, deps.now().getTime()) } }
    },
  }
}

function keyOf(network: string): string {
  return `network:${network}`
}

function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000))
}
