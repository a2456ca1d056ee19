// The contract of members and invitations.
import assert from 'node:assert/strict'
import type { Invitation, Member } from '../../services/store/team.ts'
import { assertConflict, at, key, type StoreCases, whole } from './store-case.ts'

const member = (uuid: string, change: Partial<Member> = {}): Member => ({
  uuid,
  team: 't1',
  name: 'Ann',
  email: `${uuid}@d.example`,
  role: 'editor',
  createdAt: at(0),
  revision: 1,
  ...change,
})

const invitation = (uuid: string, change: Partial<Invitation> = {}): Invitation => ({
  uuid,
  team: 't1',
  email: `${uuid}@d.example`,
  role: 'viewer',
  creator: null,
  hash: `hash-${uuid}`,
  createdAt: at(0),
  expiresAt: at(50),
  ...change,
})

const uuidsOf = ({ rows }: { rows: { uuid: string }[] }) => rows.map(({ uuid }) => uuid)

export const memberCases: StoreCases = {
  async 'renames a team'({ teams }) {
    await teams.insert({ uuid: 't1', name: 'Old', createdAt: at(1) })
    assert.equal(await teams.rename('t1', 'New'), true)
    assert.equal((await teams.get('t1'))?.name, 'New')
    assert.equal(await teams.rename('t2', 'New'), false)
  },
  async 'returns a member as written, only in its team'({ members }) {
    await members.insert(member('m1'))
    await members.insert(member('m1', { name: 'Other' }))
    assert.deepEqual(await members.get('t1', 'm1'), member('m1'))
    assert.deepEqual(await members.byEmail('t1', 'm1@d.example'), member('m1'))
    assert.equal(await members.get('t2', 'm1'), null)
    assert.equal(await members.byEmail('t2', 'm1@d.example'), null)
    assert.equal(await members.byEmail('t1', 'm2@d.example'), null)
  },
  async 'an e-mail address belongs to one member of a team'({ members }) {
    await members.insert(member('m1'))
    await assertConflict(members.insert(member('m2', { email: 'm1@d.example' })), 'email')
    assert.equal(await members.get('t1', 'm2'), null)
    await members.insert(member('m3', { team: 't2', email: 'm1@d.example' }))
    assert.equal((await members.get('t2', 'm3'))?.email, 'm1@d.example')
  },
  async 'lists members oldest first, by team and page'({ members }) {
    for (const n of [1, 3, 2]) await members.insert(member(`m${n}`, { createdAt: at(n) }))
    await members.insert(member('other', { team: 't2' }))
    assert.deepEqual(uuidsOf(await members.list('t1', whole)), ['m1', 'm2', 'm3'])
    const part = await members.list('t1', { offset: 1, limit: 1 })
    assert.deepEqual([part.count, uuidsOf(part)], [3, ['m2']])
  },
  async 'a change of a member compares the revision and writes only name and role'({ members }) {
    await members.insert(member('m1'))
    const changed = member('m1', { name: 'Bea', role: 'viewer', revision: 2 })
    assert.equal(await members.update({ ...changed, email: 'x@d.example' }), true)
    assert.deepEqual(await members.get('t1', 'm1'), changed)
    assert.equal(await members.update({ ...changed, role: 'editor' }), false)
    assert.equal((await members.get('t1', 'm1'))?.role, 'viewer')
  },
  async 'deletes a member with its keys only in its own team, and once'({ members, keys }) {
    await members.insert(member('m1'))
    assert.equal(await members.delete('t2', 'm1'), false)
    assert.equal(await members.delete('t1', 'm1'), true)
    assert.equal(await members.delete('t1', 'm1'), false)
    await keys.insert(key('k1', { memberUuid: 'm1' }))
    await keys.insert(key('k2', { memberUuid: 'm2' }))
    await keys.insert(key('k3', { memberUuid: null }))
    await keys.deleteOfMember('t1', 'm1')
    assert.deepEqual(uuidsOf(await keys.list('t1', whole)).sort(), ['k2', 'k3'])
  },
  async 'an invitation can be taken once, before it expires'({ invitations }) {
    await invitations.insert(invitation('i1', { creator: 'm1' }))
    await invitations.insert(invitation('i1', { role: 'administrator' }))
    assert.equal(await invitations.take('none', at(1)), null)
    assert.equal(await invitations.take('hash-i1', at(50)), null)
    const taken = await Promise.all([1, 2, 3].map(() => invitations.take('hash-i1', at(49))))
    assert.deepEqual(taken.filter(Boolean), [invitation('i1', { creator: 'm1' })])
  },
  async 'lists open invitations newest first, by team and page, and deletes them'({ invitations }) {
    for (const n of [1, 3, 2]) await invitations.insert(invitation(`i${n}`, { createdAt: at(n) }))
    await invitations.insert(invitation('old', { createdAt: at(4), expiresAt: at(20) }))
    await invitations.insert(invitation('other', { team: 't2' }))
    assert.deepEqual(uuidsOf(await invitations.list('t1', at(20), whole)), ['i3', 'i2', 'i1'])
    const part = await invitations.list('t1', at(19), { offset: 1, limit: 2 })
    assert.deepEqual([part.count, uuidsOf(part)], [4, ['i3', 'i2']])
    await invitations.prune(at(20))
    assert.deepEqual(uuidsOf(await invitations.list('t1', at(0), whole)), ['i3', 'i2', 'i1'])
    assert.equal(await invitations.delete('t2', 'i1'), false)
    assert.equal(await invitations.delete('t1', 'i1'), true)
    assert.equal(await invitations.delete('t1', 'i1'), false)
    assert.equal(await invitations.take('hash-i1', at(1)), null)
  },
}
