// The contract of teams and keys.
import assert from 'node:assert/strict'
import { assertConflict, at, key, type StoreCases, uuidsIn, whole } from './store-case.ts'

export const keyCases: StoreCases = {
  async 'writes a team once; the oldest is the first'({ teams }) {
    assert.equal(await teams.first(), null)
    await teams.insert({ uuid: 't2', name: 'Later', createdAt: at(2) })
    await teams.insert({ uuid: 't1', name: 'First', createdAt: at(1) })
    await teams.insert({ uuid: 't1', name: 'Other name', createdAt: at(5) })
    assert.deepEqual(await teams.get('t1'), { uuid: 't1', name: 'First', createdAt: at(1) })
    assert.equal((await teams.first())?.uuid, 't1')
    assert.equal(await teams.get('t9'), null)
  },
  async 'returns a key as written, only in its team'({ keys }) {
    const written = key('k1', { projects: ['p1'], expiresAt: at(9), memberUuid: 'm1', signedInBy: '' })
    await keys.insert(written)
    assert.deepEqual(await keys.byHash('hash-k1'), written)
    assert.deepEqual(await keys.get('t1', 'k1'), written)
    assert.equal(await keys.get('t2', 'k1'), null)
    assert.equal(await keys.byHash('none'), null)
  },
  async 'a hash belongs to one key; writing the same key again changes nothing'({ keys }) {
    await keys.insert(key('k1'))
    await keys.insert(key('k1', { name: 'Other' }))
    assert.equal((await keys.get('t1', 'k1'))?.name, 'Key')
    await assertConflict(keys.insert(key('k2', { hash: 'hash-k1' })), 'hash')
    assert.equal(await keys.get('t1', 'k2'), null)
  },
  async 'lists keys newest first, by team and page'({ keys }) {
    for (const n of [1, 3, 2]) await keys.insert(key(`k${n}`, { createdAt: at(n) }))
    await keys.insert(key('other', { team: 't2' }))
    const all = await keys.list('t1', whole)
    assert.equal(all.count, 3)
    assert.deepEqual(uuidsIn(all.rows), ['k3', 'k2', 'k1'])
    const part = await keys.list('t1', { offset: 1, limit: 1 })
    assert.equal(part.count, 3)
    assert.deepEqual(uuidsIn(part.rows), ['k2'])
  },
  async 'deletes a key only in its own team, and once'({ keys }) {
    await keys.insert(key('k1'))
    assert.equal(await keys.delete('t2', 'k1'), false)
    assert.equal(await keys.delete('t1', 'k1'), true)
    assert.equal(await keys.delete('t1', 'k1'), false)
    assert.equal(await keys.byHash('hash-k1'), null)
  },
  async 'moves lastUsedAt forward only'({ keys }) {
    await keys.insert(key('k1'))
    for (const [touched, expected] of [
      [2, 2],
      [1, 2],
      [3, 3],
    ] as const) {
      await keys.touch('k1', at(touched))
      assert.equal((await keys.get('t1', 'k1'))?.lastUsedAt, at(expected))
    }
  },
}
