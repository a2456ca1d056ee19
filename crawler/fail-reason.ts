// Why a request failed, told from the error that broke it.
import { errors } from 'undici'
import { TooLarge } from './content-coding.ts'
import { BlockedAddress, UnknownHost } from './dial.ts'
import { OutOfTime } from './exchange.ts'
import { SilentNameServer } from './names.ts'

export type FailReason =
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'http_4xx'
  | 'http_5xx'
  | 'blocked_address'
  | 'too_large'
  | 'parse'

interface Failure {
  reason: FailReason
  /** A sentence for the event log. */
  message: string
}

const failures = {
  dns: { reason: 'dns', message: 'The name of the host could not be resolved.' },
  silent: {
    reason: 'dns',
    message:
      'The name server of the host did not answer. Other names of its domain are not looked up for a minute.',
  },
  tls: {
    reason: 'tls',
    message: 'No secure connection could be made: the certificate or the protocol is not accepted.',
  },
  timeout: { reason: 'timeout', message: 'The server took too long.' },
  tooLarge: { reason: 'too_large', message: 'The answer is larger than may be read.' },
  parse: {
    reason: 'parse',
    message: 'The answer is not valid HTTP, or its content is not encoded as it says.',
  },
  connection: { reason: 'connection', message: 'The connection was refused or broke off.' },
} satisfies Record<string, Failure>

const byClass = [
  [UnknownHost, failures.dns],
  [SilentNameServer, failures.silent],
  [OutOfTime, failures.timeout],
  [TooLarge, failures.tooLarge],
] as const

/** Error codes by their beginning, of node and of undici. */
const byCode: [string, Failure][] = [
  ['UND_ERR_CONNECT_TIMEOUT', failures.timeout],
  ['UND_ERR_HEADERS_TIMEOUT', failures.timeout],
  ['UND_ERR_BODY_TIMEOUT', failures.timeout],
  ['ETIMEDOUT', failures.timeout],
  ['UND_ERR_HEADERS_OVERFLOW', failures.tooLarge],
  ['HPE_HEADER_OVERFLOW', failures.tooLarge],
  ['HPE_', failures.parse],
  ['Z_', failures.parse],
  ['ERR_BROTLI', failures.parse],
  ['ERR__ERROR', failures.parse],
  ['ZSTD_', failures.parse],
  ['UND_ERR_INVALID_ARG', failures.parse],
  ['ENOTFOUND', failures.dns],
  ['EAI_', failures.dns],
  ['ERR_TLS', failures.tls],
  ['ERR_SSL', failures.tls],
  ['EPROTO', failures.tls],
  ['CERT_', failures.tls],
  ['DEPTH_ZERO', failures.tls],
  ['SELF_SIGNED', failures.tls],
  ['UNABLE_TO_', failures.tls],
  ['HOSTNAME_MISMATCH', failures.tls],
  ['INVALID_CA', failures.tls],
]

/** What is unknown counts as a broken connection. */
export function toFailure(cause: unknown): Failure {
  if (cause instanceof BlockedAddress) return { reason: 'blocked_address', message: cause.message }
  const known = byClass.find(([kind]) => cause instanceof kind)
  if (known) return known[1]
  const code = String((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  const told = byCode.find(([start]) => code.startsWith(start))?.[1]
  // Not all errors of undici's parser carry a code.
  return told ?? (cause instanceof errors.HTTPParserError ? failures.parse : failures.connection)
}
