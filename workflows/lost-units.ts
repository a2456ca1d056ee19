// Restores units that the index has lost, or that a new index never had, from the stored text. A page's row names the version
// that readers see; the units of that version follow from its text, so they can be written at any time.
import type { SearchIndex, Unit } from '../services/index/search-index.ts'
import type { Page } from '../services/store/page.ts'
import type { Store } from '../services/store/store.ts'
import type { ParseContext, ParsePool } from './parse/parse-pool.ts'
import type { RunControl } from './run-control.ts'

const scannedAtOnce = 1_000
/** Pages whose text is in memory at a time. */
const madeAtOnce = 50

interface LostUnitsDeps {
  store: Store
  index: SearchIndex
  parsePool: ParsePool
}

/**
 * Answers how many pages were restored. Reads the versions of all units; the rows of pages only where some lack units, and the
 * text of those alone.
 */
export async function restoreUnits(
  deps: LostUnitsDeps,
  project: string,
  { signal, beat }: RunControl,
): Promise<number> {
  const indexed = new Map<string, Set<number>>()
  for await (const { page, version } of deps.index.versions(project)) {
    signal.throwIfAborted()
    indexed.set(page, (indexed.get(page) ?? new Set()).add(version))
  }
  if (await hasAll(deps.store, project, indexed)) return 0
  let restored = 0
  for (let after: string | null = null; ; ) {
    const pages = await deps.store.pages.scan(project, after, scannedAtOnce)
    if (pages.length === 0) return restored
    after = pages.at(-1)!.uuid
    const lost = pages.filter(({ uuid, version }) => !indexed.get(uuid)?.has(version))
    for (let at = 0; at < lost.length; at += madeAtOnce) {
      signal.throwIfAborted()
      await restoreSome(deps, { project, signal }, lost.slice(at, at + madeAtOnce))
      beat()
    }
    restored += lost.length
  }
}

/** `indexed`: versions that have units, by page. */
async function hasAll(store: Store, project: string, indexed: Map<string, Set<number>>): Promise<boolean> {
  const pages = [...indexed.keys()]
  let whole = 0
  for (let at = 0; at < pages.length; at += scannedAtOnce) {
    const current = await store.pages.current(pages.slice(at, at + scannedAtOnce))
    for (const [page, version] of current) if (indexed.get(page)!.has(version)) whole += 1
  }
  return whole === (await store.pages.count(project))
}

async function restoreSome({ store, index, parsePool }: LostUnitsDeps, context: ParseContext, pages: Page[]) {
  const { project } = context
  const units = await Promise.all(
    pages.map(async ({ uuid, version, url, sourceType }): Promise<Unit[]> => {
      const content = await store.pages.content(uuid)
      return content === null ? [] : parsePool.units({ uuid, version, url, sourceType }, content, context)
    }),
  )
  await index.add(project, units.flat())
  // A page that was published or removed meanwhile has other units, or none: these may be of its newer text.
  const current = await store.pages.current(pages.map(({ uuid }) => uuid))
  const gone = pages.filter(({ uuid, version }) => current.get(uuid) !== version)
  if (gone.length === 0) return
  await index.remove(
    project,
    gone.map(({ uuid, version }) => ({ page: uuid, version })),
  )
}
