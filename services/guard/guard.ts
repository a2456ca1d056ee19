// The core's only interceptor. It identifies the caller (identify.ts), authorizes the call (admit.ts), applies rate limits
// (here), validates the request (validate.ts), and converts errors for callers.
import type { DescMethod } from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from '@connectrpc/connect'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { callerKey, callerOf, may, originKey, peerKey, projectKey } from '../context.ts'
import { DomainError, type FieldErrors, rateLimited, reasons } from '../errors.ts'
import type { MessageLimits } from '../limit/message-limits.ts'
import { toNetwork } from '../limit/network-key.ts'
import { createWindows } from '../limit/windows.ts'
import type { Permission } from '../permissions.ts'
import { mapStream } from '../stream.ts'
import { type Authorize, admitCall, findOptions } from './admit.ts'
import type { createIdentify } from './identify.ts'
import { createValidate } from './validate.ts'

type AnyRequest = UnaryRequest | StreamRequest

export interface ErrorLog {
  error(what: { err: unknown; rpc: string }, sentence: string): void
}

interface GuardDeps {
  identify: ReturnType<typeof createIdentify>
  authorize: Authorize
  /** Absent if the server has no chats. */
  limits?: Pick<MessageLimits, 'count'> | undefined
  now(): Date
  log: ErrorLog
}

export function createGuard({ identify, authorize, limits, now, log }: GuardDeps): Interceptor {
  const limitRead = createReadLimit(now)
  const validate = createValidate()

  /** Returns the request for the handler. Throws DomainError to reject the call. */
  async function check(request: AnyRequest): Promise<AnyRequest> {
    const { method, header, contextValues: values } = request
    // Only the public RPCs of health and reflection lack `access`: routes.ts checks that ours have it.
    if (!findOptions(method).access) return request
    values.set(callerKey, await identify(header, values.get(originKey), values.get(peerKey)))

    // The first message of a stream names its project.
    const rest = request.stream ? request.message[Symbol.asyncIterator]() : null
    const first = await rest?.next()
    await admitCall(method, first ? first.value : request.message, values, authorize)
    if (isMessage(method)) await countMessage(values)
    else limitRead(method, values)
    // Validated last, so that unauthorized callers learn nothing from errors.
    if (request.stream) return { ...request, message: validated(method, first!, rest!) }
    validate(method, request.message)
    return request
  }

  /**
   * Counts a message before its fields are validated, so that rejected messages count too. If a caller has a key and the
   * request names only a chat, the handler counts the message once it knows the project.
   */
  async function countMessage(values: HandlerContext['values']): Promise<void> {
    if (isCounted({ values })) await limits?.count(callerOf({ values }), values.get(projectKey))
  }

  /** Validates the messages of a stream. `first` has been read already. */
  async function* validated<M>(method: DescMethod, first: IteratorResult<M>, rest: AsyncIterator<M>) {
    let next = first
    try {
      for (; !next.done; next = await rest.next()) {
        validate(method, next.value as never)
        yield next.value
      }
    } finally {
      if (!next.done) await rest.return?.()
    }
  }

  return (next) => createErrorInterceptor(log)(async (request) => next(await check(request)))
}

const { sendMessage, continueMessage } = ChatService.method

function isMessage(method: DescMethod): boolean {
  return method === sendMessage || method === continueMessage
}

/** Whether the guard counts the message. It needs the project only to check the permissions of a key. */
export function isCounted(context: Pick<HandlerContext, 'values'>): boolean {
  return context.values.get(projectKey) !== null || callerOf(context).team === null
}

const maxReads = 600

/**
 * Limits requests without a key by network address. Messages have their own limits. Counts in memory, because each
 * keystroke of a reader is a search.
 */
function createReadLimit(now: () => Date) {
  const reads = createWindows(() => now().getTime())

  return (method: DescMethod, values: HandlerContext['values']): void => {
    const { access } = findOptions(method)
    const needsNoKey = access?.public || access?.anyone || access?.restoreToken
    if (!needsNoKey) return
    const project = values.get(projectKey)
    const caller = callerOf({ values })
    // Without a project in the request, the handler checks the key.
    const isExempt = project ? may(caller, project, access.permission as Permission) : caller.team !== null
    if (isExempt) return
    const { count, seconds } = reads.hit(toNetwork(caller.address))
    if (count > maxReads) throw rateLimited('Too many requests came from this address.', seconds)
  }
}

/** Converts errors for callers, also those thrown while a stream is read. */
export function createErrorInterceptor(log: ErrorLog): Interceptor {
  return (next) => async (request) => {
    const rpc = `${request.service.typeName}/${request.method.name}`
    const toSeen = (error: unknown) => toConnectError(error, rpc, request.signal, log)
    try {
      const response = await next(request)
      if (!response.stream) return response
      return { ...response, message: mapStream(response.message, { mapError: toSeen }) }
    } catch (error) {
      throw toSeen(error)
    }
  }
}

function toConnectError(error: unknown, rpc: string, signal: AbortSignal, log: ErrorLog): ConnectError {
  if (error instanceof DomainError) {
    const { message, reason, fields, retryAfter } = error
    const seen = withDetail(message, Code[reasons[reason]], reason, fields ?? {}, error)
    if (retryAfter !== null) seen.metadata.set('retry-after', String(retryAfter))
    return seen
  }
  // Thrown by Connect: unimplemented, a wrong encoding, a deadline.
  if (error instanceof ConnectError) return error
  // After an abort, the signal's reason is the cause and the handler's error a consequence.
  if (signal.aborted) return ConnectError.from(signal.reason, Code.Canceled)
  log.error({ err: error, rpc }, 'unexpected error')
  return withDetail('internal error', Code.Internal, 'internal', {}, error)
}

function withDetail(
  sentence: string,
  code: Code,
  reason: string,
  fields: FieldErrors,
  cause: unknown,
): ConnectError {
  const value = {
    reason,
    fields: Object.fromEntries(Object.entries(fields).map(([path, messages]) => [path, { messages }])),
  }
  return new ConnectError(sentence, code, undefined, [{ desc: ErrorDetailSchema, value }], cause)
}
