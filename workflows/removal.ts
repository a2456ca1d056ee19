// What a run takes out at its end, never before.
import type { Page } from '../services/store/page.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { removedEvent, runEvent } from './events.ts'

const removeAtOnce = 500

interface RemovalDeps {
  store: Store
  run: Run
  now(): Date
}

/**
 * Removes the pages that the run found gone. When they are more than half of those indexed before, they are held: kept
 * and marked; a later run that finds only marked ones gone removes them. Pages of `unreadable` sources are left alone.
 */
export async function removeGone({ store, run, now }: RemovalDeps, unreadable: string[]): Promise<void> {
  const gone = await store.pages.unlisted(run.uuid, unreadable)
  const hold = (pages: Page[]) =>
    store.pages.hold(
      run.project,
      run.fence,
      run.uuid,
      pages.map((page) => page.uuid),
    )
  if (await mustHold(store, run, gone)) {
    await hold(gone)
    const message = `${gone.length} pages are gone, more than half: they are kept, and the next run that finds the same removes them.`
    await store.runs.append(run.uuid, [
      runEvent('removals_held', now().toISOString(), message, { level: 'warning' }),
    ])
  } else {
    // Deletes the marks last: a run that is killed during the removal finds them when it resumes, and removes the rest.
    await remove(store, run, gone, now)
    await hold([])
  }
  await store.pages.assignSources(run.uuid, run.fence, unreadable)
}

async function mustHold(store: Store, run: Run, gone: Page[]): Promise<boolean> {
  const counts = (await store.runs.get(run.project, run.uuid))?.pages
  const before = (await store.pages.count(run.project)) - (counts?.added ?? 0)
  const heldBefore = gone.every((page) => page.heldBy !== null && page.heldBy !== run.uuid)
  return gone.length > before / 2 && !heldBefore
}

async function remove(store: Store, run: Run, gone: Page[], now: () => Date) {
  for (let start = 0; start < gone.length; start += removeAtOnce) {
    const pages = gone.slice(start, start + removeAtOnce)
    const at = now().toISOString()
    const states = await store.frontier.states(
      run.uuid,
      pages.map((page) => page.url),
    )
    await store.runs.append(
      run.uuid,
      pages.map(({ url, sources: [source = null] }, place) =>
        removedEvent(url, { reason: states[place]?.reason ?? null, source, at }),
      ),
    )
    await store.pages.remove(
      run.project,
      run.fence,
      pages.map((page) => page.uuid),
    )
  }
}
