// The contract of chats, their messages and traces.
import assert from 'node:assert/strict'
import type { ChatFilter, MessagePage } from '../../services/store/chat-store.ts'
import { assertConflict, at, project, type StoreCases, uuidsIn, whole } from './store-case.ts'
import { answer, chat, question, trace, withTurn } from './store-chat-case.ts'

export const chatCases: StoreCases = {
  async 'returns a chat as written; writing it again changes nothing'(store) {
    await store.projects.insert(project())
    const bare = chat('bare', { email: null, metadata: null, url: null, connection: null, writer: 'w' })
    await store.chats.insert(chat())
    await store.chats.insert(bare)
    await store.chats.insert(chat('chat', { title: 'Other' }))
    assert.deepEqual(await store.chats.get('chat'), chat())
    assert.deepEqual(await store.chats.get('bare'), bare)
    assert.equal(await store.chats.get('none'), null)
    await store.chats.insert(chat('lost', { project: 'p9' }))
    assert.equal(await store.chats.get('lost'), null)
  },
  async 'lists chats of a project newest first, in pages'(store) {
    await store.projects.insert(project())
    await store.projects.insert(project('p2'))
    for (const [uuid, minute] of [
      ['c', 1],
      ['a', 2],
      ['d', 2],
      ['b', 3],
    ] as const)
      await store.chats.insert(chat(uuid, { createdAt: at(minute), updatedAt: at(9 - minute) }))
    await store.chats.insert(chat('other', { project: 'p2' }))
    const uuids = async (page: typeof whole) => {
      const { count, rows } = await store.chats.list('p1', page)
      return [count, ...rows.map((row) => row.uuid)]
    }
    assert.deepEqual(await uuids(whole), [4, 'b', 'd', 'a', 'c'])
    assert.deepEqual(await uuids({ offset: 1, limit: 2 }), [4, 'd', 'a'])
    assert.deepEqual(await uuids({ offset: 9, limit: 2 }), [4])
  },
  async 'searches chats by outcome, rating, text and time, newest first, in pages'(store) {
    await store.projects.insert(project())
    await store.projects.insert(project('p2'))
    const turns = [
      ['one', 1, 'answered', 1, 'How do I set the SIZE?'],
      ['two', 2, 'refused', null, 'Welche Größe passt?'],
      ['three', 3, 'answered', 0, 'Is 100% [of it] enough?'],
    ] as const
    for (const [uuid, minute, verdict, feedback, content] of turns) {
      const ids = { chat: uuid, project: 'p1' }
      await store.chats.insert(chat(uuid, { createdAt: at(minute) }))
      await store.chats.append(question(0, { ...ids, uuid: `q ${uuid}`, content }), null, null)
      const written = answer(1, { ...ids, uuid: `a ${uuid}`, feedback })
      await store.chats.append(written, trace({ verdict }), null)
      const later = answer(3, { ...ids, uuid: `b ${uuid}`, feedback: feedback === 0 ? 1 : null })
      await store.chats.append(later, trace({ verdict: 'pointed' }), null)
    }
    await store.chats.insert(chat('empty', { createdAt: at(4) }))
    await store.chats.insert(chat('other', { project: 'p2', createdAt: at(5) }))
    const search = async (filter: ChatFilter, page = whole) => {
      const { count, rows } = await store.chats.search('p1', filter, page)
      return [count, ...uuidsIn(rows)]
    }
    assert.deepEqual(await search({ verdict: 'answered' }), [2, 'three', 'one'])
    assert.deepEqual(await search({ reaction: 1 }), [2, 'three', 'one'])
    assert.deepEqual(await search({ verdict: 'answered', reaction: 1 }), [1, 'one'])
    assert.deepEqual(await search({ verdict: 'pointed' }), [3, 'three', 'two', 'one'])
    assert.deepEqual(await search({ text: 'größe' }), [1, 'two'])
    assert.deepEqual(await search({ text: 'the Size' }), [1, 'one'])
    assert.deepEqual(await search({ text: '100% [OF' }), [1, 'three'])
    assert.deepEqual(await search({ text: 's.t' }), [0])
    assert.deepEqual(await search({ text: 'size', verdict: 'refused' }), [0])
    assert.deepEqual(await search({ from: at(2), before: at(4) }), [2, 'three', 'two'])
    assert.deepEqual(await search({ from: at(2) }), [3, 'empty', 'three', 'two'])
    assert.deepEqual(await search({ verdict: 'pointed' }, { offset: 1, limit: 1 }), [3, 'two'])
    await store.projects.delete('p1')
    assert.deepEqual(await search({ verdict: 'answered' }), [0])
  },
  async 'a search of chats can take several steps'(store) {
    await store.projects.insert(project())
    for (let n = 0; n < 405; n++)
      await store.chats.insert(chat(String(n).padStart(3, '0'), { createdAt: at(Math.floor(n / 100)) }))
    const { count, rows } = await store.chats.search('p1', { from: at(1) }, { offset: 200, limit: 2 })
    assert.deepEqual([count, ...uuidsIn(rows)], [305, '204', '203'])
  },
  async 'returns messages as written, by position, and an answer with its trace'(store) {
    await withTurn(store)
    await store.chats.append(answer(3), trace({ queries: ['later'] }), null)
    await store.chats.append(question(2), null, null)
    assert.deepEqual(await store.chats.messages('chat'), [question(0), answer(1), question(2), answer(3)])
    assert.deepEqual(await store.chats.message('a1'), answer(1))
    assert.deepEqual(await store.chats.trace('a1'), trace())
    assert.deepEqual(await store.chats.trace('a3'), trace({ queries: ['later'] }))
    assert.equal(await store.chats.trace('q0'), null)
    assert.equal(await store.chats.message('none'), null)
    assert.deepEqual(await store.chats.messages('none'), [])
  },
  async 'reads the newest messages: a number of them, after others, below a position'(store) {
    await withTurn(store)
    for (const position of [3, 2, 6, 7]) await store.chats.append(question(position), null, null)
    const read = async (page?: MessagePage) =>
      (await store.chats.messages('chat', page)).map(({ position }) => position)
    assert.deepEqual(await read(), [0, 1, 2, 3, 6, 7])
    assert.deepEqual(await read({ limit: 2 }), [6, 7])
    assert.deepEqual(await read({ limit: 3, offset: 2 }), [1, 2, 3])
    assert.deepEqual(await read({ limit: 3, offset: 5 }), [0])
    assert.deepEqual(await read({ limit: 2, below: 6 }), [2, 3])
    assert.deepEqual(await read({ limit: 2, below: 0 }), [])
  },
  async 'a message updates its chat once, forward only'(store) {
    await withTurn(store)
    const changed = { messageCount: 2, updatedAt: at(3), writer: 'w1', writtenAt: at(2) }
    assert.deepEqual(await store.chats.get('chat'), chat('chat', changed))
    assert.equal(
      await store.chats.append(question(0, { content: 'Other' }), null, {
        hash: 'w2',
        at: at(9),
        email: null,
      }),
      true,
    )
    assert.deepEqual(await store.chats.get('chat'), chat('chat', changed))
    assert.equal((await store.chats.message('q0'))?.content, 'Question 0?')
    await store.chats.append(question(2, { createdAt: at(0) }), null, {
      hash: 'w0',
      at: at(0),
      email: null,
    })
    assert.deepEqual(await store.chats.get('chat'), chat('chat', { ...changed, messageCount: 3 }))
    await store.chats.append(question(4), null, { hash: null, at: at(6), email: null })
    assert.deepEqual(
      await store.chats.get('chat'),
      chat('chat', { messageCount: 4, updatedAt: at(6), writer: null, writtenAt: at(6) }),
    )
  },
  async 'stores an e-mail if the chat has none'(store) {
    await store.projects.insert(project())
    await store.chats.insert(chat('chat', { email: null }))
    const writes = (position: number, email: string | null) =>
      store.chats.append(question(position), null, { hash: null, at: at(9), email })
    const email = async () => (await store.chats.get('chat'))?.email
    await writes(0, null)
    assert.equal(await email(), null)
    await writes(2, 'ann@docs.test')
    assert.equal(await email(), 'ann@docs.test')
    await writes(3, 'bob@docs.test')
    await writes(4, null)
    assert.equal(await email(), 'ann@docs.test')
  },
  async 'a position in a chat has one message'(store) {
    await withTurn(store)
    await assertConflict(store.chats.append(question(1, { uuid: 'late' }), null, null), 'position')
    assert.equal(await store.chats.message('late'), null)
    assert.equal((await store.chats.get('chat'))?.messageCount, 2)
    await store.chats.insert(chat('second'))
    assert.equal(await store.chats.append(question(1, { uuid: 'late', chat: 'second' }), null, null), true)
  },
  async 'applies a rewrite only to the revision before it, and keeps the feedback'(store) {
    await withTurn(store)
    await store.chats.react('a1', { reaction: 1, comment: 'Good' })
    const longer = answer(1, {
      content: 'Answer 1 [1], the whole of it',
      sources: [],
      incomplete: false,
      stopReason: 'stop',
      continuationCount: 4,
      continuationAvailable: false,
      revision: 2,
    })
    assert.equal(await store.chats.rewrite(longer, trace({ model: 'other' })), true)
    const kept = { ...longer, feedback: 1, comment: 'Good' }
    assert.deepEqual(await store.chats.message('a1'), kept)
    assert.equal((await store.chats.trace('a1'))?.model, 'other')
    const late = { ...longer, content: 'Late' }
    assert.equal(await store.chats.rewrite(late, trace()), false)
    assert.equal(await store.chats.rewrite({ ...late, revision: 4 }, trace()), false)
    assert.equal(await store.chats.rewrite({ ...late, uuid: 'none' }, trace()), false)
    assert.deepEqual(await store.chats.message('a1'), kept)
    assert.equal((await store.chats.trace('a1'))?.model, 'other')
    assert.equal((await store.chats.get('chat'))?.messageCount, 2)
  },
  async 'stores feedback on answers only, and a later one replaces it'(store) {
    await withTurn(store)
    assert.equal(await store.chats.react('a1', { reaction: 0, comment: 'Wrong' }), true)
    assert.deepEqual(await store.chats.message('a1'), answer(1, { feedback: 0, comment: 'Wrong' }))
    assert.equal(await store.chats.react('a1', { reaction: 1, comment: null }), true)
    assert.deepEqual(await store.chats.message('a1'), answer(1, { feedback: 1 }))
    assert.equal(await store.chats.react('q0', { reaction: 1, comment: null }), false)
    assert.deepEqual(await store.chats.message('q0'), question(0))
    assert.equal(await store.chats.react('none', { reaction: 1, comment: null }), false)
  },
}
