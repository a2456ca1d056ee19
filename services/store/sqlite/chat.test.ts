// Chats of a deleted project are removed from the file, others stay, and a restart continues after a kill.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { project } from '../../../test/contract/store-case.ts'
import { chat, question, trace, withTurn } from '../../../test/contract/store-chat-case.ts'
import { createFolder } from '../../../test/folder.ts'
import type { Store } from '../store.ts'
import { chatSchema } from './chat.ts'
import { type Connection, openConnection } from './connection.ts'
import { mainSchema, openSqliteStore } from './sqlite-store.ts'

let folder: string
let store: Store
let chats: Connection
beforeEach(async () => {
  folder = createFolder()
  store = await openSqliteStore(join(folder, 'lectern.db'))
  chats = openConnection(join(folder, 'chats.db'), chatSchema)
  await withTurn(store)
  for (let n = 0; n < 30; n++) await store.chats.insert(chat(`more ${n}`))
  for (const uuid of ['p0', 'p2']) {
    await store.projects.insert(project(uuid))
    await store.chats.insert(chat(`kept ${uuid}`, { project: uuid }))
    const kept = question(0, { uuid: `kept of ${uuid}`, chat: `kept ${uuid}` })
    await store.chats.append(kept, trace(), null)
  }
})
afterEach(async () => {
  chats.close()
  await store.close()
})

const left = () =>
  ['chat', 'chat_message'].map((table) => chats.get<{ n: number }>(`select count(*) as n from ${table}`)!.n)
const untilCleared = async () => {
  while (left()[0]! > 2) await new Promise(setImmediate)
}

test('removes the chats of a deleted project in the background', async () => {
  expect(left()).toEqual([33, 4])
  await store.projects.delete('p1')
  await untilCleared()
  expect(left()).toEqual([2, 2])
})

test('continues after a killed process when the store opens', async () => {
  const main = openConnection(join(folder, 'lectern.db'), mainSchema)
  main.run("delete from project where uuid = 'p1'")
  main.close()
  await store.close()
  expect(left()[0]).toBe(33)
  store = await openSqliteStore(join(folder, 'lectern.db'))
  await untilCleared()
  expect(left()).toEqual([2, 2])
})

test('leaves nothing of a deleted chat in the files', async () => {
  const content = 'My account number is 4711. '.repeat(2_000)
  await store.chats.append(question(2, { content }), null, null)
  await store.chats.append(question(3, { content: 'Not long: 4711.' }), null, null)
  expect(await store.chats.deleteByEmail('p1', 'ann@docs.test')).toBe(31)
  // The last user to close a file checkpoints its log.
  chats.close()
  await store.close()
  for (const file of readdirSync(folder))
    expect(readFileSync(join(folder, file)).includes('4711'), file).toBe(false)
  store = await openSqliteStore(join(folder, 'lectern.db'))
  chats = openConnection(join(folder, 'chats.db'), chatSchema)
})

test('writes a message while another process holds the lock on the file of pages', async () => {
  const main = openConnection(join(folder, 'lectern.db'), mainSchema)
  main.run('begin immediate')
  expect(await store.chats.append(question(2, { uuid: 'meanwhile' }), null, null)).toBe(true)
  expect(await store.limits.hit('a', 60, 0)).toEqual({ count: 1, endsAt: 60 })
  main.run('rollback')
  main.close()
})

test('other work runs between two chats that are erased', async () => {
  const email = 'bob@docs.test'
  for (const uuid of ['long 1', 'long 2']) await store.chats.insert(chat(uuid, { email }))
  const [before] = left()
  let isErased = false
  const erased = store.chats.deleteByEmail('p1', email).finally(() => {
    isErased = true
  })
  const seen = new Set<number>()
  while (!isErased) {
    seen.add(left()[0]!)
    await new Promise(setImmediate)
  }
  expect(await erased).toBe(2)
  expect(seen).toContain(before! - 1)
})
