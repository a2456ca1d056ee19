// The contract of rate limits: fixed windows of messages and blocks of addresses.
import assert from 'node:assert/strict'
import type { StoreCases } from './store-case.ts'

export const limitCases: StoreCases = {
  async 'a window begins with its first message and has a fixed end'({ limits }) {
    assert.deepEqual(await limits.hit('a', 60, 1_000), { count: 1, endsAt: 1_060 })
    assert.deepEqual(await limits.hit('a', 60, 1_001), { count: 2, endsAt: 1_060 })
    assert.deepEqual(await limits.hit('a', 60, 1_059), { count: 3, endsAt: 1_060 })
    assert.deepEqual(await limits.hit('a', 60, 1_060), { count: 1, endsAt: 1_120 })
    assert.deepEqual(await limits.hit('a', 60, 9_000), { count: 1, endsAt: 9_060 })
  },
  async 'processes with different clocks share one window, that of the fastest clock'({ limits }) {
    const minute = 60_000
    await limits.hit('a', minute, 0)
    assert.deepEqual(await limits.hit('a', minute, 4 * minute), { count: 1, endsAt: 5 * minute })
    assert.deepEqual(await limits.hit('a', minute, 1), { count: 2, endsAt: 5 * minute })
    assert.deepEqual(await limits.hit('a', minute, 4 * minute + 1), { count: 3, endsAt: 5 * minute })
  },
  async 'every key has its own window'({ limits }) {
    await limits.hit('a', 60, 1_000)
    assert.deepEqual(await limits.hit('b', 30, 1_020), { count: 1, endsAt: 1_050 })
    assert.deepEqual(await limits.hit('a', 60, 1_030), { count: 2, endsAt: 1_060 })
  },
  async 'hits that are taken back do not count, without effect on other keys or later windows'({ limits }) {
    await limits.takeBack('a', 1_000)
    await limits.hit('a', 60, 1_000)
    await limits.hit('a', 60, 1_001)
    await limits.takeBack('b', 1_002)
    await limits.takeBack('a', 1_060)
    assert.deepEqual(await limits.hit('a', 60, 1_003), { count: 3, endsAt: 1_060 })
    await limits.takeBack('a', 1_004)
    assert.deepEqual(await limits.hit('a', 60, 1_005), { count: 3, endsAt: 1_060 })
    for (let taken = 0; taken < 5; taken++) await limits.takeBack('a', 1_006)
    assert.deepEqual(await limits.hit('a', 60, 1_007), { count: 1, endsAt: 1_060 })
  },
  async 'counts all concurrent messages'({ limits }) {
    const hits = await Promise.all(Array.from({ length: 20 }, () => limits.hit('a', 60, 1_000)))
    assert.deepEqual(
      hits.map(({ count }) => count).sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
  },
  async 'lists the open windows of keys with a prefix, the highest count first'({ limits }) {
    for (const key of ['n:a', 'n:b', 'n:b', 'n:over', 'o:c', 'n:d']) await limits.hit(key, 60, 1_000)
    await limits.hit('n:over', 60, 900)
    const hits = await limits.busiest('n:', 1_000, 3)
    assert.deepEqual(
      hits.map(({ key, count, endsAt }) => [key, count, endsAt]),
      [
        ['n:b', 2, 1_060],
        ['n:over', 2, 1_060],
        ['n:a', 1, 1_060],
      ],
    )
    assert.deepEqual(await limits.busiest('n:', 1_060, 3), [])
  },
  async 'a block lasts until the latest time that was set'({ limits }) {
    assert.equal(await limits.blockedUntil('a'), 0)
    await limits.block('a', 5_000)
    await limits.block('a', 4_000)
    assert.equal(await limits.blockedUntil('a'), 5_000)
    await limits.block('a', 6_000)
    assert.equal(await limits.blockedUntil('a'), 6_000)
    assert.equal(await limits.blockedUntil('b'), 0)
  },
  async 'lists blocks that end after a time, the latest first, up to the limit'({ limits }) {
    assert.deepEqual(await limits.blocks(0, 10), [])
    await limits.block('b', 3_000)
    await limits.block('d', 5_000)
    await limits.block('a', 2_000)
    await limits.block('c', 4_000)
    await limits.hit('e', 60, 9_000)
    const [d, c, b] = [
      { key: 'd', until: 5_000 },
      { key: 'c', until: 4_000 },
      { key: 'b', until: 3_000 },
    ]
    assert.deepEqual(await limits.blocks(2_000, 10), [d, c, b])
    assert.deepEqual(await limits.blocks(0, 2), [d, c])
    assert.deepEqual(await limits.blocks(5_000, 10), [])
  },
  async 'prunes ended windows and blocks only'({ limits }) {
    await limits.hit('ended', 10, 1_000)
    await limits.hit('open', 60, 1_000)
    await limits.block('ended', 1_010)
    await limits.block('open', 1_060)
    await limits.prune(1_011)
    assert.deepEqual([await limits.blockedUntil('ended'), await limits.blockedUntil('open')], [0, 1_060])
    assert.deepEqual(await limits.hit('open', 60, 1_011), { count: 2, endsAt: 1_060 })
    // At a time before its end, an unpruned window would continue.
    assert.deepEqual(await limits.hit('ended', 10, 1_005), { count: 1, endsAt: 1_015 })
  },
}
