// Writes rows of an archive into a store, and pages into its index as well. What is there already stays.

import { DomainError } from '../errors.ts'
import type { SearchIndex } from '../index/search-index.ts'
import { toUnits } from '../index/units.ts'
import type { Store } from '../store/store.ts'
import { createQueue } from '../stream/queue.ts'
import type { Kind, MovedChat, MovedPage, MovedPiece, MovedRun, MovedVector, Rows } from './kinds.ts'

export interface Target {
  store: Store
  index: SearchIndex
}

type Writer<Row> = (target: Target, rows: Row[]) => Promise<void>

/** Rejects with Conflict where the target has another row of the same slug, key or address. */
export const writers: { [K in Kind]: Writer<Rows[K]> } = {
  team: each(({ store }, team) => store.teams.insert(team)),
  key: each(({ store }, key) => store.keys.insert(key)),
  member: each(({ store }, member) => store.members.insert(member)),
  invitation: each(({ store }, invitation) => store.invitations.insert(invitation)),
  project: each(({ store }, project) => store.projects.insert(project)),
  source: each(({ store }, source) => store.sources.insert(source)),
  blob: writePieces,
  page: writePages,
  run: each(({ store }, { run, events }: MovedRun) => store.runs.restore(run, events)),
  recrawl: each(({ store }, recrawl) => store.recrawls.insert(recrawl)),
  chat: each(writeChat),
  event: ({ store }, rows) => store.analytics.record(rows),
  vector: writeVectors,
}

function each<Row>(write: (target: Target, row: Row) => Promise<unknown>): Writer<Row> {
  return async (target, rows) => {
    for (const row of rows) await write(target, row)
  }
}

/** The uploaded file of each store whose pieces are coming. */
const puts = new WeakMap<Store, ReturnType<typeof beginPut>>()

async function writePieces({ store }: Target, rows: MovedPiece[]): Promise<void> {
  for (const { blob, from, size, bytes } of rows) {
    if (from === 0) puts.set(store, beginPut(store, blob))
    const put = puts.get(store)
    if (put?.blob !== blob) throw new DomainError('invalid', 'The archive is damaged: export it again.')
    const piece = Buffer.from(bytes, 'base64')
    await put.push(piece)
    if (from + piece.length >= size) await put.end()
  }
}

function beginPut({ blobs }: Store, blob: string) {
  const queue = createQueue<Uint8Array>()
  let taken = () => {}
  async function* pieces() {
    for await (const piece of queue.read()) {
      yield piece
      taken()
    }
  }
  const done = blobs.put(blob, pieces())
  done.catch(() => {})
  return {
    blob,
    /** Resolves when the store has asked for the next one. */
    async push(piece: Uint8Array) {
      const isTaken = new Promise<void>((resolve) => {
        taken = resolve
      })
      queue.push(piece)
      await Promise.race([isTaken, done])
    },
    async end() {
      queue.end()
      await done
    },
  }
}

/** Units first, as a crawl does: a page that can be found has all of them. */
async function writePages({ store, index }: Target, rows: MovedPage[]): Promise<void> {
  const project = rows[0]!.page.project
  await index.add(
    project,
    rows.flatMap(({ page, content }) => toUnits(page, content)),
  )
  await store.pages.publish(
    project,
    null,
    rows.map((row) => ({ ...row, replaces: 0 })),
  )
}

/** Messages count the chat's number themselves. */
async function writeChat({ store }: Target, { chat, messages }: MovedChat): Promise<void> {
  await store.chats.insert({ ...chat, messageCount: 0 })
  for (const { message, trace } of messages) await store.chats.append(message, trace, null)
}

async function writeVectors({ store }: Target, rows: MovedVector[]): Promise<void> {
  for (const { model, hash, numbers, usedAt } of rows) {
    const bytes = Uint8Array.from(Buffer.from(numbers, 'base64'))
    await store.vectors.write(model, [{ hash, vector: new Float32Array(bytes.buffer) }], usedAt)
  }
}
