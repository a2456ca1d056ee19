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

const team = 'test/e2e/team.test.ts'

const rights: Mutation[] = [
  {
    name: 'scoped-key-names-other-projects',
    file: 'services/key/key-service.ts',
    search: '(seen === null || seen.includes(project.uuid))',
    replacement: 'seen !== undefined',
    tests: ['services/key/key-service.test.ts'],
    expected: 'makes none for ["two"]',
  },
  {
    name: 'scoped-key-makes-one-without-scope',
    file: 'services/key/key-service.ts',
    search: 'if (slugs === null && caller.projects !== null)',
    replacement: 'if (slugs === null && caller.team === null)',
    tests: ['services/key/key-service.test.ts'],
    expected: 'makes none for null',
  },
  {
    name: 'key-of-a-member-who-is-gone',
    file: 'services/key/held-permissions.ts',
    search: 'return member && names.filter((name) => rolePermissions[member.role].includes(name))',
    replacement: 'return names.filter((name) => !member || rolePermissions[member.role].includes(name))',
    tests: ['test/protocol/auth.test.ts'],
    expected: 'takes no key whose member is gone',
  },
  {
    name: 'unbiased-digits-of-keys',
    file: 'services/key/key-format.ts',
    search: 'byte < 248 && ',
    replacement: '',
    tests: ['services/key/key-format.test.ts'],
    expected: 'uses no byte that would make some digits likelier',
  },
  {
    name: 'one-query-for-slugs-of-keys',
    file: 'services/key/key-service.ts',
    search: 'results: await toMessages(rows)',
    replacement: 'results: (await Promise.all(rows.map((row) => toMessages([row])))).flat()',
    tests: ['services/key/key-service.test.ts'],
    expected: 'asks for the slugs of all of its projects at once',
  },
  {
    name: 'delete-keys-that-hold-more',
    file: 'services/key/key-service.ts',
    search: "refuseMore(held, caller.permissions, 'You cannot delete a key that holds more than your own')",
    replacement: '',
    tests: [team],
    expected: 'that are fewer delete no key, remove no member and change no role',
  },
  {
    name: 'remove-members-who-hold-more',
    file: 'services/team/team-service.ts',
    search: 'refuseMore(rolePermissions[member.role], callerOf(context).permissions, sentence)',
    replacement: '',
    tests: [team],
    expected: 'that are fewer delete no key, remove no member and change no role',
  },
  {
    name: 'demote-members-who-hold-more',
    file: 'services/team/team-service.ts',
    search:
      "refuseMore(before, permissions, 'You cannot change the role of a member who holds more than your key')",
    replacement: '',
    tests: [team],
    expected: 'that are fewer delete no key, remove no member and change no role',
  },
  {
    name: 'remove-the-last-administrator',
    file: 'services/team/team-service.ts',
    search: "throw new DomainError('last_administrator', sentence)",
    replacement: '',
    tests: [team],
    expected: 'of the last administrator stay',
  },
  {
    name: 'administrators-who-remove-each-other-at-once',
    file: 'services/team/team-service.ts',
    search: 'maxOfGroup: 1',
    replacement: 'maxOfGroup: 100',
    tests: [team],
    expected: 'of the last administrator stay',
  },
  {
    name: 'invite-with-a-key-that-expires',
    file: 'services/team/team-service.ts',
    search: 'if (caller.key?.expiresAt) {',
    replacement: 'if (caller.key === undefined) {',
    tests: [team],
    expected: 'of a key that expires invite nobody, and raise no role',
  },
  {
    name: 'raise-a-role-with-a-key-that-expires',
    file: 'services/team/team-service.ts',
    search: 'if (key?.expiresAt && ',
    replacement: 'if (key === undefined && ',
    tests: [team],
    expected: 'of a key that expires invite nobody, and raise no role',
  },
  {
    name: 'accept-an-invitation-whose-creator-is-gone',
    file: 'services/team/team-service.ts',
    search: 'if (!creator) return true',
    replacement: 'return true',
    tests: [team],
    expected: 'of an invitation end with the key or the member that made it',
  },
  {
    name: 'socket-messages-of-a-chat-with-a-key',
    file: 'services/limit/message-limits.ts',
    search: "return caller.surface !== 'socket' && project !== null",
    replacement: 'return project !== null',
    tests: ['services/limit/message-limits.test.ts'],
    expected: 'limits the messages of a chat on a socket, also with a key that may chat',
  },
]

export const accessMutations: Mutation[] = [...gateway, ...withoutKey, ...rights]
