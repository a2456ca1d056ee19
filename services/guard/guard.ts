// The guard of every call, the core's one interceptor: who calls (identify.ts), whether the caller may (admit.ts), how
// often (here), and whether the request keeps the contract's rules (validate.ts). It gives errors the form that callers see.
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
  /** Left out where no chats are served. */
  limits?: Pick<MessageLimits, 'count'> | undefined
  now(): Date
  log: ErrorLog
}

export function createGuard({ identify, authorize, limits, now, log }: GuardDeps): Interceptor {
  const limitRead = createReadLimit(now)
  const validate = createValidate()

  /** Answers the request to hand on. Throws DomainError where the call ends here. */
  async function check(request: AnyRequest): Promise<AnyRequest> {
    const { method, header, contextValues: values } = request
    // RPCs without `access` are those of health and reflection, open to all: routes.ts ensures that ours have one.
    if (!findOptions(method).access) return request
    values.set(callerKey, await identify(header, values.get(originKey), values.get(peerKey)))

    // The first message of a stream names its project.
    const rest = request.stream ? request.message[Symbol.asyncIterator]() : null
    const first = await rest?.next()
    await admitCall(method, first ? first.value : request.message, values, authorize)
    if (isMessage(method)) await countMessage(values)
    else limitRead(method, values)
    // Rules come last, so that strangers learn nothing from them.
    if (request.stream) return { ...request, message: validated(method, first!, rest!) }
    validate(method, request.message)
    return request
  }

  /**
   * Counts a message by its address before its fields are checked, so that refused ones count too. A caller with a key
   * whose message names its project by the chat alone is counted by the handler, once it knows the project.
   */
  async function countMessage(values: HandlerContext['values']): Promise<void> {
    if (isCounted({ values })) await limits?.count(callerOf({ values }), values.get(projectKey))
  }

  /** The messages of a stream, of which the first has been read. */
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

/** Whether the guard counts the message: it needs the project only to know what a key may there. */
export function isCounted(context: Pick<HandlerContext, 'values'>): boolean {
  return context.values.get(projectKey) !== null || callerOf(context).team === null
}

const maxReads = 600

/**
 * Limits requests without a key by network address. Messages have other limits. Counts in memory, because each letter
 * that a reader types is a search.
 */
function createReadLimit(now: () => Date) {
  const reads = createWindows(() => now().getTime())

  return (method: DescMethod, values: HandlerContext['values']): void => {
    const { access } = findOptions(method)
    const needsNoKey = access?.public || access?.anyone || access?.restoreToken
    if (!needsNoKey) return
    const project = values.get(projectKey)
    const caller = callerOf({ values })
    // Without a project in the request, the handler judges the key.
    const isExempt = project ? may(caller, project, access.permission as Permission) : caller.team !== null
    if (isExempt) return
    const { count, seconds } = reads.hit(toNetwork(caller.address))
    if (count > maxReads) throw rateLimited('Too many requests came from this address.', seconds)
  }
}

const codes: Record<(typeof reasons)[keyof typeof reasons], Code> = {
  invalid_argument: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  permission_denied: Code.PermissionDenied,
  not_found: Code.NotFound,
  already_exists: Code.AlreadyExists,
  failed_precondition: Code.FailedPrecondition,
  aborted: Code.Aborted,
  resource_exhausted: Code.ResourceExhausted,
  unimplemented: Code.Unimplemented,
  unavailable: Code.Unavailable,
}

/** The one place where an error becomes what callers see. A stream's errors come while it is read. */
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
    const seen = withDetail(message, codes[reasons[reason]], reason, fields ?? {}, error)
    if (retryAfter !== null) seen.metadata.set('retry-after', String(retryAfter))
    return seen
  }
  // Made by Connect itself: unimplemented, a wrong encoding, a deadline.
  if (error instanceof ConnectError) return error
  // After an abort the signal's reason explains the error; the handler's own does not.
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
