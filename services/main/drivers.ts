// Picks the drivers behind the ports; with the thread entries beside it, the only place that knows more than one.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SearchIndex } from '../index/search-index.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'

/** `data`: absolute path of the data folder; made if missing. */
export async function openStore(data: string): Promise<Store> {
  await mkdir(data, { recursive: true })
  return openSqliteStore(join(data, 'lectern.db'))
}

export async function openIndex(data: string): Promise<SearchIndex> {
  return openSegmentIndex(join(data, 'index'))
}
