// The contract of erasing chats: deletion, erasure of a person, expiry, and deletion of the project.
import assert from 'node:assert/strict'
import type { Store } from '../../services/store/store.ts'
import { at, project, type StoreCases, whole } from './store-case.ts'
import { answer, chat, question, trace, withTurn } from './store-chat-case.ts'

/** Checks that nothing of the chat of `withTurn` can be read, and nothing can be added to it. */
const assertGone = async ({ chats }: Store): Promise<void> => {
  assert.equal(await chats.get('chat'), null)
  assert.deepEqual(await chats.messages('chat'), [])
  assert.equal(await chats.message('a1'), null)
  assert.equal(await chats.trace('a1'), null)
  assert.equal(await chats.react('a1', { reaction: 1, comment: null }), false)
  assert.equal(await chats.rewrite(answer(1, { revision: 2 }), trace()), false)
  assert.equal(await chats.append(question(2), null, null), false)
  assert.equal(await chats.message('q2'), null)
}

const left = async ({ chats }: Store, project = 'p1'): Promise<string[]> =>
  (await chats.list(project, whole)).rows.map((row) => row.uuid).sort()

export const chatErasureCases: StoreCases = {
  async 'deletes a chat only in its own project, once, with messages and traces'(store) {
    await withTurn(store)
    await store.projects.insert(project('p2'))
    await store.chats.insert(chat('second'))
    assert.equal(await store.chats.delete('p2', 'chat'), false)
    assert.equal(await store.chats.delete('p1', 'chat'), true)
    assert.equal(await store.chats.delete('p1', 'chat'), false)
    await assertGone(store)
    assert.deepEqual(await left(store), ['second'])
  },
  async 'deletes all chats of a person in the project and no others'(store) {
    await withTurn(store)
    await store.projects.insert(project('p2'))
    for (let n = 0; n < 120; n++) await store.chats.insert(chat(`more ${n}`))
    await store.chats.insert(chat('bob', { email: 'bob@docs.test' }))
    await store.chats.insert(chat('nobody', { email: null }))
    await store.chats.insert(chat('elsewhere', { project: 'p2' }))
    assert.equal(await store.chats.deleteByEmail('p1', 'ann@docs.test'), 121)
    assert.equal(await store.chats.deleteByEmail('p1', 'ann@docs.test'), 0)
    await assertGone(store)
    assert.deepEqual(await left(store), ['bob', 'nobody'])
    assert.deepEqual(await left(store, 'p2'), ['elsewhere'])
  },
  async 'expires chats last changed before a time, oldest first, up to the limit'(store) {
    await withTurn(store)
    await store.projects.insert(project('p2'))
    for (const n of [9, 0, 2, 1])
      await store.chats.insert(chat(`c${n}`, { createdAt: at(0), updatedAt: at(n) }))
    await store.chats.insert(chat('elsewhere', { project: 'p2', updatedAt: at(0) }))
    assert.equal(await store.chats.expire('p1', at(3), 2), 2)
    assert.deepEqual(await left(store), ['c2', 'c9', 'chat'])
    assert.equal(await store.chats.expire('p1', at(3), 9), 1)
    assert.deepEqual(await left(store), ['c9', 'chat'])
    assert.equal(await store.chats.expire('p1', at(4), 9), 1)
    assert.equal(await store.chats.expire('p1', at(4), 9), 0)
    await assertGone(store)
    assert.deepEqual(await left(store), ['c9'])
    assert.deepEqual(await left(store, 'p2'), ['elsewhere'])
  },
  async 'deletes the chats of a deleted project'(store) {
    await withTurn(store)
    await store.projects.delete('p1')
    await assertGone(store)
    assert.deepEqual(await store.chats.list('p1', whole), { count: 0, rows: [] })
    assert.equal(await store.chats.delete('p1', 'chat'), false)
    assert.equal(await store.chats.deleteByEmail('p1', 'ann@docs.test'), 0)
    assert.equal(await store.chats.expire('p1', at(9), 9), 0)
    await store.projects.insert(project('p2', { slug: 'slug-p1' }))
    assert.deepEqual(await left(store, 'p2'), [])
  },
}
