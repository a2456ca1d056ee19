// The SQLite store with concurrent writers, and with a writer that is killed.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { createFolder } from '../folder.ts'
import { listing, publication, settlement, url, withRun } from './store-case.ts'
import type { PublisherTask } from './store-publisher.ts'

const publisher = new URL('./store-publisher.ts', import.meta.url)

let folder: string
let file: string
let store: Store
let fence: number
beforeEach(async () => {
  folder = createFolder()
  file = join(folder, 'lectern.db')
  store = await openSqliteStore(file)
  fence = await withRun(store)
})
afterEach(() => store.close())

const integrity = (): unknown => {
  const db = new DatabaseSync(file)
  const { integrity_check } = db.prepare('pragma integrity_check').get() as { integrity_check: string }
  db.close()
  return integrity_check
}

test('concurrent writes of threads are complete, and the counters add up at every moment', async () => {
  const count = 60
  const workers = ['x', 'y'].map((prefix) => {
    const worker = new Worker(publisher, { workerData: { file, prefix, count } satisfies PublisherTask })
    return new Promise<void>((resolve, reject) => worker.once('error', reject).once('exit', () => resolve()))
  })
  let working = true
  const done = Promise.all(workers).finally(() => {
    working = false
  })
  for (let n = 0; working || n < count; n++) {
    const pages = (await store.runs.get('p1', 'r1'))!.pages
    expect(pages.discovered).toBe(pages.added + pages.pending)
    if (n < count) {
      await store.frontier.discover('r1', [listing(`main-${n}`), listing('shared')])
      expect(await store.pages.publish('p1', fence, [publication(`main-${n}`)])).toEqual(['published'])
      await store.frontier.settle('r1', [settlement(`main-${n}`)])
    }
    await new Promise(setImmediate)
  }
  await done
  expect(await store.pages.count('p1')).toBe(3 * count)
  expect(await store.sources.pageCounts('p1')).toEqual(new Map([['s1', 3 * count]]))
  const pages = (await store.runs.get('p1', 'r1'))!.pages
  expect([pages.discovered, pages.added, pages.pending]).toEqual([3 * count + 1, 3 * count, 1])
  expect(integrity()).toBe('ok')
})

test('a reader is not blocked by a writer', async () => {
  const writer = new DatabaseSync(file)
  writer.exec("begin immediate; update run set error = 'x'")
  expect((await store.runs.get('p1', 'r1'))?.error).toBeNull()
  expect(await store.pages.current(['page-a'])).toEqual(new Map())
  writer.exec('rollback')
  writer.close()
})

test('a process killed after 30 acknowledgements has lost none of them', async () => {
  const child = spawn(process.execPath, [publisher.pathname, file, 'k', '100000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<string | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  let acknowledged = -1
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    if (acknowledged + 1 === 30) child.kill('SIGKILL')
  }
  expect(await exited).toBe('SIGKILL')
  await store.close()
  expect(integrity()).toBe('ok')
  store = await openSqliteStore(file)
  const urls = Array.from({ length: acknowledged + 1 }, (_, n) => url(`k-${n}`))
  expect(urls.length).toBeGreaterThanOrEqual(30)
  expect((await store.pages.byUrls('p1', urls)).includes(null)).toBe(false)
  const states = await store.frontier.states('r1', urls)
  expect(states.every((state) => state?.outcome === 'added')).toBe(true)
  const pages = (await store.runs.get('p1', 'r1'))!.pages
  expect(pages.discovered).toBe(pages.added + pages.pending)
  expect(pages.added).toBeGreaterThanOrEqual(urls.length)
})
