// Takes units that no reader sees any more out of the index.
import type { SearchIndex } from '../services/index/search-index.ts'
import type { PageVersion } from '../services/store/page.ts'
import type { Store } from '../services/store/store.ts'

const orphansAtOnce = 1_000
const sweptAtOnce = 5_000

/** Answers how many versions went. A kill between the two writes only has the removal done again. */
export async function sweepVersions(store: Store, index: SearchIndex, project: string, limit: number) {
  const versions = await store.pages.swept(project, limit)
  if (versions.length > 0) {
    await index.remove(project, versions)
    await store.pages.forget(project, versions)
  }
  return versions.length
}

/** Sweeps until nothing is left. Rejects with the signal's reason when it aborts. */
export async function sweepAll(store: Store, index: SearchIndex, project: string, signal: AbortSignal) {
  do signal.throwIfAborted()
  while ((await sweepVersions(store, index, project, sweptAtOnce)) > 0)
}

/**
 * Removes units of versions that never became current: a process was killed between index and store. `before`: a version
 * number (workflows/version.ts) below which no writer can be about to make one current; without it, nobody else writes.
 */
export async function removeOrphans(
  store: Store,
  index: SearchIndex,
  project: string,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  let batch: PageVersion[] = []
  const flush = async () => {
    const current = await store.pages.current(batch.map((entry) => entry.page))
    const orphans = batch.filter((entry) => current.get(entry.page) !== entry.version)
    if (orphans.length > 0) await index.remove(project, orphans)
    batch = []
  }
  for await (const { page, version } of index.versions(project)) {
    if (version < before) batch.push({ page, version })
    if (batch.length >= orphansAtOnce) await flush()
  }
  await flush()
}

/** What a kill has left in the index: projects that are gone, and those whose last run may have been stopped while it wrote. */
export async function findLeftovers(store: Store, index: SearchIndex) {
  const gone: string[] = []
  const cancelled: string[] = []
  for (const project of await index.projects()) {
    if ((await store.projects.byUuid(project)) === null) gone.push(project)
    else if ((await store.runs.latest(project))?.status === 'cancelled') cancelled.push(project)
  }
  return { gone, cancelled }
}
