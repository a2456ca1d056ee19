// Finds problems of the documentation: broken links and anchors, duplicates, pages without incoming links, and thin pages.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { LRUCache } from 'lru-cache'
import { normalizeUrl } from '../../crawler/url.ts'
import { FindingKind, type FindingSchema } from '../../gen/lectern/v1/page_pb.js'
import { isWeb } from '../../sources/source-table.ts'
import type { Page, PageContent } from '../store/page.ts'
import { scanAll } from '../store/paging.ts'
import type { Store } from '../store/store.ts'
import { createAnchorCheck } from './anchors.ts'
import { listAddresses } from './page-list.ts'

type Finding = MessageInitShape<typeof FindingSchema> & { kind: FindingKind }

/** Characters of text. A page with fewer is thin. */
const minCharacters = 200
/** Maximum pages to read: the store has no index of links. */
const maxPages = 20_000
const chunkSize = 200
const maxLinking = 20
/** Milliseconds for which findings are cached: recrawls change pages between two runs. */
const maxAge = 60_000

/** Returns the findings of a project, sorted by kind, then by address. Caches them for a minute, or until the next run. */
export function createFindings(store: Store): (project: string) => Promise<Finding[]> {
  const cache = new LRUCache<string, { run: string | undefined; findings: Promise<Finding[]> }>({
    max: 20,
    ttl: maxAge,
  })

  return async (project) => {
    const run = (await store.runs.latest(project))?.uuid
    const last = cache.get(project)
    if (last !== undefined && last.run === run) return last.findings
    const findings = find(store, project)
    cache.set(project, { run, findings })
    findings.catch(() => cache.delete(project))
    return findings
  }
}

async function find(store: Store, project: string): Promise<Finding[]> {
  const { broken, copies, moved } = await readOutcomes(store, project)
  const linked = new Set<string>()
  const anchorCheck = createAnchorCheck(maxLinking)
  const pages: (Pick<Page, 'url' | 'title'> & { characters: number })[] = []
  for await (const { page, content } of readPages(store, project)) {
    for (const link of content.links) {
      broken.get(link)?.linkedFrom.push(page.url)
      if (link !== page.url) linked.add(link)
    }
    if (!isWeb(page.sourceType)) continue
    anchorCheck.add(page.url, content)
    pages.push({ url: page.url, title: page.title, characters: countCharacters(content) })
  }
  // A link to an address that redirects counts as a link to the target.
  for (const link of [...linked]) {
    for (let to = moved.get(link); to !== undefined && !linked.has(to); to = moved.get(to)) linked.add(to)
  }
  const sources = await store.sources.all(project)
  const starts = new Set(sources.flatMap(({ url, resolvedUrl }) => [normalizeUrl(url), resolvedUrl]))
  const orphans = pages.filter(({ url }) => !linked.has(url) && !starts.has(url))
  const thin = pages.filter(({ characters }) => characters < minCharacters)
  const findings: Finding[][] = [
    [...broken.values()]
      .filter(({ linkedFrom }) => linkedFrom.length > 0)
      .map((each) => ({ ...each, linkedFrom: each.linkedFrom.slice(0, maxLinking) })),
    copies,
    orphans.map(({ url, title }) => ({
      ...{ kind: FindingKind.ORPHAN, url, title },
      message: 'No page of the project links to it.',
    })),
    thin.map(({ url, title, characters }) => ({
      ...{ kind: FindingKind.THIN, url, title },
      message: `It has ${characters} characters of text.`,
    })),
    anchorCheck.find(moved).map(({ url, title, anchor, linkedFrom }) => ({
      ...{ kind: FindingKind.BROKEN_ANCHOR, url: `${url}#${anchor}`, title, linkedFrom },
      message: `The page has no anchor “${anchor}”.`,
    })),
  ]
  return findings.flatMap((some) => some.toSorted((a, b) => (a.url! < b.url! ? -1 : 1)))
}

/** Reads broken addresses, duplicates, and the targets of redirects, canonical links and duplicates. */
async function readOutcomes(store: Store, project: string) {
  const broken = new Map<string, Finding & { linkedFrom: string[] }>()
  const copies: Finding[] = []
  const moved = new Map<string, string>()
  for await (const addresses of listAddresses(store, project, {}, ['failed', 'skipped'])) {
    for (const { url, status, ...address } of addresses) {
      const [reason, message] = [address.reason ?? '', address.message ?? '']
      if (status === 'failed' || reason === 'gone')
        broken.set(url, { kind: FindingKind.BROKEN_LINK, url, reason, message, linkedFrom: [] })
      if (reason === 'duplicate') copies.push({ kind: FindingKind.DUPLICATE, url, message })
      const [target] = /https?:\/\/[^\s]+/.exec(message) ?? []
      if (['redirect', 'canonical', 'duplicate'].includes(reason) && target) moved.set(url, target)
    }
  }
  return { broken, copies, moved }
}

async function* readPages(
  store: Store,
  project: string,
): AsyncGenerator<{ page: Page; content: PageContent }> {
  let count = 0
  const scan = (last: Page | undefined) => store.pages.scan(project, last?.uuid ?? null, chunkSize)
  for await (const page of scanAll(scan, chunkSize)) {
    const content = await store.pages.content(page.uuid)
    // The embedded store is synchronous: lets other requests run.
    await nextTurn()
    if (content !== null) yield { page, content }
    if (++count === maxPages) return
  }
}

function countCharacters({ sections }: PageContent): number {
  return sections.flatMap(({ blocks }) => blocks).reduce((sum, { text }) => sum + text.length, 0)
}
