// Limits per network address and per chat are exact, and an IPv6 /64 counts as one address.
import { expect, it } from 'vitest'
import { type Caller, createStranger } from '../context.ts'
import type { LimitStore } from '../store/limit.ts'
import type { Project } from '../store/project.ts'
import { createMessageLimits } from './message-limits.ts'
import { createNetworkKey, toNetwork } from './network-key.ts'

const secret = Buffer.alloc(32, 7).toString('base64')

it('blocks for an hour from the 101st message of a minute', async () => {
  const lab = openLab()
  for (let sent = 1; sent <= 100; sent++) expect(await lab.count('9.9.9.9'), `message ${sent}`).toBe(0)
  expect(await lab.count('9.9.9.9')).toBe(3600)
  expect(await lab.count('9.9.9.8')).toBe(0)
  lab.pass(3_599_000)
  expect(await lab.blocked('9.9.9.9')).toBe(1)
  lab.pass(1_000)
  expect(await lab.blocked('9.9.9.9')).toBe(0)
  expect(await lab.count('9.9.9.9')).toBe(0)
})

it('counts an IPv6 /64 as one address', async () => {
  const lab = openLab()
  for (let sent = 1; sent <= 100; sent++) await lab.count(`2001:db8:1:2::${sent}`)
  expect(await lab.count('2001:db8:1:2:ffff::1')).toBe(3600)
  expect(await lab.blocked('2001:db8:1:3::1')).toBe(0)
})

it('limits the messages of a chat on a socket, also with a key that may chat', async () => {
  const lab = openLab()
  const project = { uuid: 'p1', team: 't1' } as Project
  const origin = { address: '9.9.9.9', origin: null, connection: null }
  const withKey = (surface: 'socket' | 'v2') => ({
    ...createStranger({ ...origin, surface }, true),
    team: 't1',
    permissions: new Set(['chats_create'] as const),
  })
  for (let sent = 1; sent <= 15; sent++) await lab.countChat(withKey('socket'), project)
  await expect(lab.countChat(withKey('socket'), project)).rejects.toMatchObject({
    reason: 'rate_limited',
    retryAfter: 60,
  })
  await lab.countChat(withKey('v2'), project)
})

it('uses no raw address as a key', async () => {
  const lab = openLab()
  await lab.count('203.0.113.7')
  expect([...lab.windows.keys()].join()).not.toContain('203.0.113')
  expect(createNetworkKey(secret)('a')).not.toBe(createNetworkKey(`${secret.slice(4)}AAAA`)('a'))
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2'],
  ['', ''],
])('maps %s to %s', (address, network) => {
  expect(toNetwork(address)).toBe(network)
})

function openLab() {
  let now = Date.parse('2026-11-21T12:00:00Z')
  const windows = new Map<string, { count: number; endsAt: number }>()
  const blocks = new Map<string, number>()
  const limits: LimitStore = {
    async hit(key, windowMs, at) {
      const known = windows.get(key)
      const window = known && known.endsAt > at ? known : { count: 0, endsAt: at + windowMs }
      windows.set(key, window)
      window.count++
      return { ...window }
    },
    async takeBack(key) {
      const window = windows.get(key)
      if (window) window.count--
    },
    block: async (key, until) => void blocks.set(key, Math.max(until, blocks.get(key) ?? 0)),
    blockedUntil: async (key) => blocks.get(key) ?? 0,
    blocks: async () => [],
    busiest: async () => [],
    prune: async () => {},
  }
  const messageLimits = createMessageLimits({
    limits,
    networkKey: createNetworkKey(secret),
    now: () => new Date(now),
    report: (error) => expect.fail(String(error)),
  })
  return {
    windows,
    pass: (ms: number) => {
      now += ms
    },
    countChat: (caller: Caller, project: Project) => messageLimits.countChat(caller, project, 'chat'),
    count: async (address: string) => (await messageLimits.countAddress(address)).blockedSeconds,
    blocked: async (address: string) => (await messageLimits.statusOf(address)).blockedSeconds,
  }
}
