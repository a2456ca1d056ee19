// Publishing pages: units first, then the compare-and-set that makes them current.
import { createHash } from 'node:crypto'
import type { SearchIndex, Unit } from '../services/index/search-index.ts'
import type { Page, Publication, PublishResult } from '../services/store/page.ts'
import type { Store } from '../services/store/store.ts'
import { pipeline } from './parse/parse-page.ts'
import type { PageVisit } from './visit.ts'

interface PublicationWithUnits extends Publication {
  units: Unit[]
}

/** What a publication takes from its run or recrawl; the rest is the visit's. */
type Owner = Pick<Page, 'team' | 'project' | 'sources' | 'pinned' | 'sourceType'>

/** The page that was read, in place of the version that its task knows. */
export function toPublication(visit: PageVisit, owner: Owner): PublicationWithUnits {
  const { task, parsed, identity, validators, fetchedAt } = visit
  const page: Page = {
    ...owner,
    ...identity,
    ...validators,
    url: task.url,
    fetchedAt,
    contentHash: parsed.contentHash,
    pipeline,
    title: parsed.content.title,
    language: parsed.content.language,
    docVersion: parsed.content.docVersion,
    heldBy: null,
  }
  return { page, content: parsed.content, replaces: task.page?.version ?? 0, units: parsed.units ?? [] }
}

/** A writer that loses to another tries again so often, if its page was fetched later. */
const maxTries = 3

/**
 * Publishes under the fence (null: a recrawl). `stale` stands for pages of which another writer has published a version
 * that was fetched later. Units of what was not published are taken out again.
 */
export async function publishPages(
  store: Store,
  index: SearchIndex,
  project: string,
  fence: number | null,
  publications: PublicationWithUnits[],
): Promise<PublishResult[]> {
  if (publications.length === 0) return []
  await index.add(
    project,
    publications.flatMap((publication) => publication.units),
  )
  const results = await store.pages.publish(project, fence, publications)
  for (let tries = 1; tries < maxTries && results.includes('stale'); tries++) {
    await publishAgain(store, project, fence, publications, results)
  }
  const lost = publications.filter((_, position) => results[position] !== 'published')
  if (lost.length > 0) {
    await index.remove(
      project,
      lost.map(({ page }) => ({ page: page.uuid, version: page.version })),
    )
  }
  return results
}

/** Replaces versions that another writer published meanwhile but fetched earlier; the store compares the times. */
async function publishAgain(
  store: Store,
  project: string,
  fence: number | null,
  publications: PublicationWithUnits[],
  results: PublishResult[],
) {
  const stale = results.flatMap((result, position) => (result === 'stale' ? [position] : []))
  const rows = await store.pages.byUuids(stale.map((position) => publications[position]!.page.uuid))
  for (const [at, position] of stale.entries()) {
    const publication = publications[position]!
    const row = rows[at]
    const again = { ...publication, replaces: row?.version ?? 0 }
    results[position] = (await store.pages.publish(project, fence, [again]))[0]!
  }
}

/** The page's UUID (RFC 9562 version 8), made from project and URL: two writers of a new page agree on it. */
export function pageUuid(project: string, url: string): string {
  const hex = createHash('sha256').update(`${project} ${url}`).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
