// Counts messages by their address before anything else is checked, so that refused ones count too. A caller with a key
// whose message names its project by the chat alone is counted by the handler, once it knows the project.
import type { DescMethod } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { callerOf, projectKey } from '../context.ts'
import type { MessageLimits } from '../limit/message-limits.ts'
import type { Check } from './checks.ts'

const { sendMessage, continueMessage } = ChatService.method

/** Runs after the check of the caller and before that of the request's fields. */
export function createCountCheck(limits: Pick<MessageLimits, 'count'>): Check {
  return async (request) => {
    const context = { values: request.contextValues }
    if (isMessage(request.method) && isCounted(context)) {
      await limits.count(callerOf(context), context.values.get(projectKey))
    }
    return request
  }
}

export function isMessage(method: DescMethod): boolean {
  return method === sendMessage || method === continueMessage
}

/** Whether the check counts the message: it needs the project only to know what a key may there. */
export function isCounted(context: Pick<HandlerContext, 'values'>): boolean {
  return context.values.get(projectKey) !== null || callerOf(context).team === null
}
