// LimitService: the gateway counts what comes over its sockets and what it refuses itself, and asks which addresses are blocked.
import type { ServiceImpl } from '@connectrpc/connect'
import type { LimitService } from '../../gen/lectern/v1/limit_pb.js'
import { callerOf, may, projectKey } from '../context.ts'
import type { MessageLimits } from './message-limits.ts'

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
