// The one place where an error becomes what callers see.
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { DomainError, type FieldErrors, reasons } from '../errors.ts'
import { mapStream } from '../stream/map-stream.ts'

export interface ErrorLog {
  error(what: { err: unknown; rpc: string }, sentence: string): void
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

/** Outermost of the interceptors. A stream's errors come while it is read, so its messages are wrapped too. */
export function createErrorInterceptor(log: ErrorLog): Interceptor {
  return (next) => async (request) => {
    const rpc = `${request.service.typeName}/${request.method.name}`
    const toSeen = (error: unknown) => toConnectError(error, rpc, request.signal, log)
    try {
      const response = await next(request)
      if (!response.stream) return response
      return {
        ...response,
        message: mapStream(response.message, { mapError: toSeen }),
      }
    } catch (error) {
      throw toSeen(error)
    }
  }
}

function toConnectError(error: unknown, rpc: string, signal: AbortSignal, log: ErrorLog): ConnectError {
  if (error instanceof DomainError) {
    const seen = withDetail(
      error.message,
      codes[reasons[error.reason]],
      error.reason,
      error.fields ?? {},
      error,
    )
    if (error.retryAfter !== null) seen.metadata.set('retry-after', String(error.retryAfter))
    return seen
  }
  // Made by Connect itself: unimplemented, a wrong encoding, a deadline.
  if (error instanceof ConnectError) return error
  // What a handler throws when it is told to stop says nothing; why it was told does.
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
  const detail = {
    reason,
    fields: Object.fromEntries(Object.entries(fields).map(([path, messages]) => [path, { messages }])),
  }
  return new ConnectError(sentence, code, undefined, [{ desc: ErrorDetailSchema, value: detail }], cause)
}
