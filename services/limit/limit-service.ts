// LimitService: the gateway counts what comes over its sockets, and asks which addresses are blocked.
import type { ServiceImpl } from '@connectrpc/connect'
import type { LimitService } from '../../gen/lectern/v1/limit_pb.js'
import { callerOf } from '../context.ts'
import type { MessageLimits } from './message-limits.ts'

export function createLimitService(limits: MessageLimits): Partial<ServiceImpl<typeof LimitService>> {
  return {
    async countMessage(_request, context) {
      return { standing: await limits.countAddress(callerOf(context).address) }
    },
    async getBlock(_request, context) {
      return { standing: await limits.standingOf(callerOf(context).address) }
    },
    async listBlocks({ minSeconds }) {
      return { blocked: await limits.blocked(minSeconds) }
    },
  }
}
