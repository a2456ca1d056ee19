// What the last crawl found wrong with the documentation: broken links and anchors, copies, pages that no page links to, and thin pages.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { LRUCache } from 'lru-cache'
import { normalizeUrl } from '../../crawler/url.ts'
import { FindingKind, type FindingSchema } from '../../gen/lectern/v1/page_pb.js'
import { isWeb } from '../../sources/source-table.ts'
import type { Page, PageContent } from '../store/page.ts'
import type { Store } from '../store/store.ts'
import { createAnchorCheck } from './anchors.ts'
import { listAddresses } from './page-list.ts'

type Finding = MessageInitShape<typeof FindingSchema> & { kind: FindingKind }

/** A page with less text is thin. */
const minCharacters = 200
/** Links have no index: the text of every page is read. */
const maxPages = 20_000
const chunkSize = 200
const maxLinking = 20
/** Milliseconds for which findings are kept: recrawls change pages between two runs. */
const maxAge = 60_000

/** The findings of a project, by kind, then by address. They are kept for a minute, or until the next run. */
export function createFindings(store: Store): (project: string) => Promise<Finding[]> {
  const known = new LRUCache<string, { run: string | undefined; findings: Promise<Finding[]> }>({
    max: 20,
    ttl: maxAge,
  })

  return async (project) => {
    const run = (await store.runs.latest(project))?.uuid
    const last = known.get(project)
    if (last !== undefined && last.run === run) return last.findings
    const findings = find(store, project)
    known.set(project, { run, findings })
    findings.catch(() => known.delete(project))
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
  // A link to an address that redirects is a link to where it leads.
  for (const link of [...linked]) {
    for (let to = moved.get(link); to !== undefined && !linked.has(to); to = moved.get(to)) linked.add(to)
  }
  const starts = await readStarts(store, project)
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

/** Addresses that are gone or failed, copies, and where addresses lead that stand for another page. */
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
  for (let after: string | null = null; ; ) {
    const pages = await store.pages.scan(project, after, chunkSize)
    for (const page of pages) {
      const content = await store.pages.content(page.uuid)
      // The embedded store answers at once: other requests get their turn.
      await nextTurn()
      if (content !== null) yield { page, content }
      if (++count === maxPages) return
    }
    if (pages.length < chunkSize) return
    after = pages.at(-1)!.uuid
  }
}

function countCharacters({ sections }: PageContent): number {
  return sections.flatMap(({ blocks }) => blocks).reduce((sum, { text }) => sum + text.length, 0)
}

async function readStarts(store: Store, project: string): Promise<Set<string | null>> {
  const sources = await store.sources.all(project)
  return new Set(sources.flatMap(({ url, resolvedUrl }) => [normalizeUrl(url), resolvedUrl]))
}
