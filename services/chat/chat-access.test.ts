// Who may continue, read and rate a chat, for every credential. Without one, the chat is
// as unknown as one that never existed.

import { createHmac, randomBytes } from 'node:crypto'
import { createContextValues } from '@connectrpc/connect'
import { describe, expect, it } from 'vitest'
import { project as projectRow } from '../../test/contract/store-case.ts'
import { chat as chatRow } from '../../test/contract/store-chat-case.ts'
import type { Config } from '../config.ts'
import { admitKey, type Caller, callerKey, createStranger, projectKey } from '../context.ts'
import { createNetworkKey } from '../limit/network-key.ts'
import type { Permission } from '../permissions.ts'
import type { Project } from '../store/project.ts'
import { type ChatUse, createChatAccess, createRestoreTokens } from './chat-access.ts'

const secret = Buffer.alloc(32, 5).toString('base64')
const tokens = createRestoreTokens(secret)
const networkKey = createNetworkKey(secret)
const writtenAt = new Date('2026-11-21T12:00:00.000Z')

const open = projectRow('open')
const closed = projectRow('closed', { isPrivate: true })
const chats = [open, closed].map((project) =>
  chatRow(`chat of ${project.uuid}`, {
    project: project.uuid,
    connection: 'socket 1',
    writer: networkKey('192.0.2.7'),
    writtenAt: writtenAt.toISOString(),
  }),
)

const admitted: string[] = []

interface Way {
  use?: ChatUse
  project?: Project
  token?: string
  caller?: Partial<Caller>
  /** Of the request; defaults to the chat's, and null is none. */
  slug?: Project | null
  legacy?: Config['legacyChats']
  minutesLater?: number
  progress?: boolean
}

/** Returns the chat that is found, or null. */
async function find(way: Way): Promise<string | null> {
  const {
    use = 'continue',
    project = open,
    token = '',
    legacy = 'off',
    minutesLater = 1,
    progress = false,
  } = way
  const access = createChatAccess({
    store: {
      chats: { get: async (uuid: string) => chats.find((one) => one.uuid === uuid) ?? null } as never,
      projects: {
        byUuid: async (uuid: string) => [open, closed].find((one) => one.uuid === uuid) ?? null,
      } as never,
    },
    tokens,
    networkKey,
    legacyChats: legacy,
    now: () => new Date(writtenAt.getTime() + minutesLater * 60_000),
  })
  const origin = { surface: 'v2', address: '198.51.100.9', origin: null, connection: null } as const
  const caller = { ...createStranger(origin, true), ...way.caller }
  const values = createContextValues()
    .set(callerKey, caller)
    .set(projectKey, way.slug === undefined ? project : way.slug)
    .set(admitKey, ({ uuid }) => {
      admitted.push(uuid)
      return caller
    })
  const found = await access.find(
    use,
    { chatUuid: `chat of ${project.uuid}`, restoreToken: token, progress },
    { values },
  )
  return found?.chat.uuid ?? null
}

const tokenOf = (project: Project) => tokens.of(`chat of ${project.uuid}`)
const holding = (...permissions: Permission[]): Partial<Caller> => ({
  team: 't1',
  permissions: new Set(permissions),
})
const socket = (change: Partial<Caller> = {}): Partial<Caller> => ({ surface: 'socket', ...change })

/** With each way, the uses that are allowed. */
describe.each<[string, Way, string]>([
  ['nothing, public', {}, 'rate'],
  ['nothing, private', { project: closed }, ''],
  ['the restore token, public', { token: tokenOf(open) }, 'continue read rate'],
  ['the restore token, private', { project: closed, token: tokenOf(closed) }, 'continue read rate'],
  ['the share token, public', { token: tokens.of(`read chat of ${open.uuid}`) }, 'read rate'],
  ['the share token, private', { project: closed, token: tokens.of(`read chat of ${closed.uuid}`) }, 'read'],
  ['another chat’s share token', { project: closed, token: tokens.of(`read chat of ${open.uuid}`) }, ''],
  ['another chat’s token', { project: closed, token: tokenOf(open) }, ''],
  ['chats_create, private', { project: closed, caller: holding('chats_create') }, 'continue rate'],
  ['chats_create, public', { caller: holding('chats_create') }, 'rate'],
  ['chats_read', { project: closed, caller: holding('chats_read') }, 'read'],
  ['chats_delete', { project: closed, caller: holding('chats_delete') }, ''],
  [
    'another team’s key',
    { project: closed, caller: { ...holding('chats_create', 'chats_read'), team: 't2' } },
    '',
  ],
  [
    'a key of another project',
    { project: closed, caller: { ...holding('chats_create', 'chats_read'), projects: ['open'] } },
    '',
  ],
  ['the connection that began it', { caller: socket({ connection: 'socket 1' }) }, 'continue rate'],
  ['another connection', { caller: socket({ connection: 'socket 2' }) }, 'rate'],
])('with %s', (_, way, allowed) => {
  it.each(['continue', 'read', 'rate'] as const)('%s', async (use) => {
    const found = allowed.split(' ').includes(use) ? `chat of ${(way.project ?? open).uuid}` : null
    expect(await find({ ...way, use })).toBe(found)
    expect(await find({ ...way, use, slug: null })).toBe(found)
  })
})

describe('LECTERN_LEGACY_CHATS', () => {
  const same = { address: '192.0.2.7' }
  it.each<[string, Way, boolean]>([
    ['off: a UUID grants nothing', { legacy: 'off', caller: socket(same) }, false],
    ['on: a UUID is enough on the socket', { legacy: 'on', caller: socket() }, true],
    ['on: and in v1', { legacy: 'on', caller: { surface: 'v1' } }, true],
    ['on: not for a client that negotiates', { legacy: 'on', caller: socket(), progress: true }, false],
    ['on: not in v2', { legacy: 'on', caller: { surface: 'v2' } }, false],
    ['on: not over gRPC', { legacy: 'on', caller: { surface: 'grpc' } }, false],
    ['on: not beside a token that is wrong', { legacy: 'on', caller: socket(), token: 'x' }, false],
    ['on: not in a private project', { legacy: 'on', caller: socket(), project: closed }, false],
    [
      'on: in a private project with a key that may chat there',
      { legacy: 'on', caller: socket(holding('chats_create')), project: closed },
      true,
    ],
    ['same-address: the address of the last message', { legacy: 'same-address', caller: socket(same) }, true],
    ['same-address: another address', { legacy: 'same-address', caller: socket() }, false],
    ['same-address: not in v2', { legacy: 'same-address', caller: same }, false],
    [
      'same-address: within an hour',
      { legacy: 'same-address', caller: socket(same), minutesLater: 60 },
      true,
    ],
    [
      'same-address: not after an hour',
      { legacy: 'same-address', caller: socket(same), minutesLater: 60.1 },
      false,
    ],
    [
      'same-address: an empty address matches nothing',
      { legacy: 'same-address', caller: socket({ address: '' }) },
      false,
    ],
  ])('%s', async (_, way, may) => {
    expect((await find({ ...way, use: 'continue' })) !== null).toBe(may)
    expect((await find({ ...way, use: 'read', slug: null })) !== null).toBe(may)
  })
})

it('a chat of another project is unknown under this slug, whatever the credential', async () => {
  for (const use of ['continue', 'read', 'rate'] as const) {
    expect(
      await find({ use, token: tokenOf(open), slug: closed, caller: holding('chats_create', 'chats_read') }),
    ).toBe(null)
  }
})

it('requires the same permission to continue as to send, which strangers cannot probe', async () => {
  admitted.length = 0
  await find({ project: closed, slug: null })
  expect(admitted).toEqual([])
  await find({ project: closed, slug: null, token: tokenOf(closed) })
  expect(admitted).toEqual(['closed'])
})

it('stores no raw address of the writer', () => {
  const access = createChatAccess({ networkKey } as never)
  const origin = { surface: 'v2', address: '203.0.113.7', origin: null, connection: null } as const
  expect(access.writerOf(createStranger(origin, true))).not.toContain('203.0.113')
  expect(access.writerOf(createStranger({ ...origin, address: '' }, true))).toBeNull()
})

describe('a restore token', () => {
  const secret = randomBytes(32)
  const tokens = createRestoreTokens(secret.toString('base64'))
  const chat = '0b7b2f4e-7c0f-4ad6-9a55-57d7ab3b8e10'
  const other = '1b7b2f4e-7c0f-4ad6-9a55-57d7ab3b8e10'

  it('is HMAC-SHA256 of the UUID, in base64url, with a key that signs nothing else', () => {
    const key = createHmac('sha256', secret).update('restore-token').digest()
    expect(tokens.of(chat)).toBe(createHmac('sha256', key).update(chat).digest('base64url'))
    // The gateway signs with this key: no chat's token may reveal a signature.
    const other = createHmac('sha256', secret).update('lectern-caller').digest('base64url')
    expect(tokens.of('lectern-caller')).not.toBe(other)
    expect(tokens.of(chat)).toMatch(/^[\w-]{43}$/)
  })

  it('is valid for its chat, with its secret', () => {
    expect(tokens.verify(chat, tokens.of(chat))).toBe(true)
    expect(tokens.verify(other, tokens.of(chat))).toBe(false)
    expect(createRestoreTokens(randomBytes(32).toString('base64')).verify(chat, tokens.of(chat))).toBe(false)
  })

  it.each([
    ['nothing', () => ''],
    ['a part of it', (token: string) => token.slice(0, -1)],
    ['more than it', (token: string) => `${token}A`],
    ['padding', (token: string) => `${token}=`],
    [
      'the same bytes in another encoding',
      (token: string) => Buffer.from(token, 'base64url').toString('hex'),
    ],
    ['text that is not ASCII', () => 'é'.repeat(43)],
  ])('is invalid as %s', (_, change) => {
    expect(tokens.verify(chat, change(tokens.of(chat)))).toBe(false)
  })
})
