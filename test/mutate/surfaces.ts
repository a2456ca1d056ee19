// REST, the socket, MCP and HTTP.
import type { Mutation } from './mutation.ts'

export const surfacesMutations: Mutation[] = [
  {
    name: 'burst-failed-message',
    file: 'gateway/ws-chat/connection.ts',
    search: '      takeBack()\n',
    replacement: '',
    tests: ['test/e2e/chat-limits.test.ts'],
    expected: 'does not count a message whose turn failed toward the ten in 30 s',
  },
  {
    name: 'aborted-request-status',
    file: 'gateway/gateway.ts',
    search: 'request.signal.aborted ? 499 : answer.status',
    replacement: 'answer.status',
    tests: ['test/e2e/aborted-requests.test.ts'],
    expected: 'a search that its caller aborts is a 499',
  },
  {
    name: 'socket-closed-by-reader',
    file: 'gateway/ws-chat/connection.ts',
    search: "gone.signal.aborted ? 'disconnected' : stopReason",
    replacement: 'stopReason',
    tests: ['test/e2e/aborted-requests.test.ts'],
    expected: 'a turn whose reader closes the socket is disconnected, and no error',
  },
  {
    name: 'log-of-503',
    file: 'gateway/gateway.ts',
    search: 'if (status === 503) log.warn',
    replacement: 'if (status === 5030) log.warn',
    tests: ['test/e2e/aborted-requests.test.ts'],
    expected: 'are 503s and log a line each',
  },
  {
    name: 'event-stream-uncompressed',
    file: 'gateway/negotiate.ts',
    search: 'text\\/(?!event-stream)',
    replacement: 'text\\/',
    tests: ['gateway/negotiate.test.ts'],
    expected: 'an event stream is not compressed',
  },
  {
    name: 'encoding-refused-by-quality',
    file: 'gateway/negotiate.ts',
    search: 'return quality(best!) > 0 &&',
    replacement: 'return quality(best!) >= 0 &&',
    tests: ['test/e2e/compression.test.ts'],
    expected: 'Accept-Encoding "gzip;q=0, br;q=0"',
  },
  {
    name: 'encoding-vary',
    file: 'gateway/negotiate.ts',
    search: 'if (encoding === null) return { ...answer, headers: { ...headers, vary } }',
    replacement: 'if (encoding === null) return answer',
    tests: ['test/e2e/compression.test.ts'],
    expected: 'Accept-Encoding "": undefined',
  },
]
