// Who may do what: keys, roles, teams, chats and their limits.
import type { Mutation } from './mutation.ts'

const gateway: Mutation[] = [
  {
    name: 'gateway-rpc-without-project',
    file: 'services/interceptors/auth.ts',
    search: 'if (access.gateway) requireGateway(caller)',
    replacement: "if (access.gateway && slug !== '') requireGateway(caller)",
    tests: ['test/protocol/permission-matrix.test.ts'],
    expected: 'refuses the RPCs of the gateway without its signature',
  },
  {
    name: 'gateway-rpc-open-to-others',
    file: 'services/routes.ts',
    search: 'if (gateway && (permission',
    replacement: 'if (!gateway && (permission',
    tests: ['test/protocol/routes.test.ts'],
    expected: 'refuses an RPC that is for the gateway alone and open to others',
  },
]

const withoutKey: Mutation[] = [
  {
    name: 'limit-every-call-without-a-key',
    file: 'services/interceptors/limit-reads.ts',
    search: 'access?.public || access?.anyone || access?.restoreToken',
    replacement: "access?.public && access.permission === 'search'",
    tests: ['test/protocol/network-limits.test.ts'],
    expected: 'every RPC that needs no key has a limit',
  },
  {
    name: 'limit-calls-whose-project-the-chat-names',
    file: 'services/interceptors/limit-reads.ts',
    search: ': caller.team !== null',
    replacement: ': true',
    tests: ['test/protocol/network-limits.test.ts'],
    expected: 'every RPC that needs no key has a limit',
  },
  {
    name: 'limit-what-the-gateway-answers',
    file: 'gateway/gateway.ts',
    search: 'if (route.isLimited) countRequest(caller.network(request))',
    replacement: '',
    tests: ['test/e2e/rest-operation.test.ts'],
    expected: 'refuses the 601st request of a minute',
  },
  {
    name: 'eight-turns-of-a-network',
    file: 'services/chat/live-turns.ts',
    search: 'const maxOfNetwork = 8',
    replacement: 'const maxOfNetwork = 9',
    tests: ['services/chat/live-turns.test.ts'],
    expected: 'takes 8 turns at once of a network without a key',
  },
]

export const accessMutations: Mutation[] = [...gateway, ...withoutKey]
