// What a call must pass before its handler, one check after another.
import type { Interceptor, StreamRequest, UnaryRequest } from '@connectrpc/connect'

type AnyRequest = UnaryRequest | StreamRequest

/** Answers the request, or the one that takes its place. Throws DomainError where the call ends here. */
export type Check = (request: AnyRequest) => AnyRequest | Promise<AnyRequest>

export function createCheckInterceptor(checks: readonly Check[]): Interceptor {
  return (next) => async (request) => {
    let passed = request
    for (const check of checks) passed = await check(passed)
    return next(passed)
  }
}
