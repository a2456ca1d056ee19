// Errors of the core and of the gateway → responses.
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from 'vitest'
import { ErrorDetailSchema } from '../gen/lectern/v1/error_pb.js'
import { isUnforeseen, Refusal, toErrorResponse } from './errors.ts'

const detailed = (code: Code, reason: string, fields = {}) =>
  new ConnectError('A sentence.', code, undefined, [{ desc: ErrorDetailSchema, value: { reason, fields } }])
const seen = (error: unknown) => {
  const { status, body } = toErrorResponse(error)
  return [status, JSON.parse(body as string)]
}

describe('toErrorResponse', () => {
  it.each<[Code, number]>([
    [Code.InvalidArgument, 400],
    [Code.Unauthenticated, 401],
    [Code.PermissionDenied, 403],
    [Code.NotFound, 404],
    [Code.AlreadyExists, 409],
    [Code.FailedPrecondition, 409],
    [Code.Aborted, 409],
    [Code.ResourceExhausted, 429],
    [Code.Internal, 500],
    [Code.Unimplemented, 501],
    [Code.Unavailable, 503],
    [Code.DeadlineExceeded, 503],
  ])('maps code %i to %i, with the reason and sentence of the core', (code, status) => {
    expect(seen(detailed(code, 'a_reason'))).toEqual([status, { error: 'A sentence.', code: 'a_reason' }])
  })

  it('returns fields', () => {
    const error = detailed(Code.InvalidArgument, 'invalid', { 'a.b': { messages: ['is bad'] } })
    expect(seen(error)[1].fields).toEqual({ 'a.b': ['is bad'] })
  })

  it('writes its own sentence for errors of Connect or the system', () => {
    const secrets = new ConnectError('connect ECONNREFUSED /run/lectern.sock', Code.Unavailable)
    expect(seen(secrets)).toEqual([
      503,
      { error: 'Lectern is temporarily unavailable. Try again in a moment.', code: 'unavailable' },
    ])
    for (const error of [
      new ConnectError('driver says', Code.Unknown),
      new TypeError('x of undefined'),
      'text',
    ]) {
      expect(seen(error)).toEqual([500, { error: 'internal error', code: 'internal' }])
    }
  })

  it('sends the retry time of the core', () => {
    const error = detailed(Code.ResourceExhausted, 'rate_limited')
    expect(toErrorResponse(error).headers['retry-after']).toBe('60')
    error.metadata.set('retry-after', '7')
    expect(toErrorResponse(error).headers['retry-after']).toBe('7')
  })

  it('returns its own refusal, with its headers', () => {
    const refusal = new Refusal('method_not_allowed', 'Not so.', {}, { allow: 'GET' })
    expect(seen(refusal)).toEqual([405, { error: 'Not so.', code: 'method_not_allowed' }])
    expect(toErrorResponse(refusal).headers.allow).toBe('GET')
  })
})

it('distinguishes errors to log here from expected ones and those that the core logs', () => {
  const foreseen = [
    new Refusal('invalid', 'No.'),
    new ConnectError('not implemented', Code.Unimplemented),
    detailed(Code.Internal, 'internal'),
  ]
  expect(foreseen.map(isUnforeseen)).toEqual([false, false, false])
  expect([new Error('x'), new ConnectError('x', Code.Internal)].map(isUnforeseen)).toEqual([true, true])
})

it.each([
  [Code.Unauthenticated, 'unauthenticated', 403],
  [Code.PermissionDenied, 'permission_denied', 403],
  [Code.FailedPrecondition, 'sync_running', 400],
  [Code.FailedPrecondition, 'no_sources', 400],
  [Code.NotFound, 'not_found', 404],
  [Code.AlreadyExists, 'source_exists', 409],
  [Code.ResourceExhausted, 'rate_limited', 429],
  [Code.Unavailable, 'unavailable', 503],
])('in REST v1 maps code %i, %s to %i with only a sentence', (code, reason, status) => {
  const fields = { name: { messages: ['is bad'] } }
  const answer = toErrorResponse(detailed(code, reason, fields), '/api/v1/projects/x/')
  expect([answer.status, JSON.parse(answer.body as string)]).toEqual([status, { error: 'A sentence.' }])
  expect(answer.headers).not.toHaveProperty('www-authenticate')
})
