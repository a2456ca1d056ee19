// Pages of a Confluence space, in Cloud or Data Center. Lists the pages with their versions, then fetches the bodies of changed
// pages.
import { LRUCache } from 'lru-cache'
import {
  type Reading,
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import { type ConfluenceClient, type ListedPage, openClient, toBase, unreadable } from './client.ts'
import type { StoredPage } from './confluence-parser.ts'

export const confluenceType: SourceType = {
  identity: ({ url, options }) => `${toBase(url)}#${options.spaceKey}`,
  credentials: { required: ['token'], optional: ['email'] },
  open: createConfluenceReader,
  parser: async () => (await import('./confluence-parser.ts')).confluenceParser,
}

/** Maximum page ids in the list, including pages without an address. */
const maxPages = 100_000
/** Maximum requests for the list. */
const maxAnswers = 2_000
/** Maximum consecutive responses without a new id. */
const maxEmptyAnswers = 10
/** Maximum pages that one page includes, directly or through others. */
const maxIncluded = 20
/** Maximum characters of the pages that one page includes. */
const maxIncludedLength = 5_000_000
/** Characters of included pages in the cache. */
const keptCharacters = 10_000_000

interface Page extends ListedPage {
  place: number
}

function createConfluenceReader(
  { url, options: { spaceKey = '' } }: SourceSettings,
  tools: SourceTools,
): SourceReader {
  let client: ConfluenceClient
  let pages: Page[] = []
  let byUrl = new Map<string, Page>()
  let byId = new Map<string, Page>()
  let byTitle = new Map<string, Page>()
  /** Position of a batch's first page → bodies of the batch. */
  const batches = new Map<number, Promise<Map<string, string>>>()
  const included = new LRUCache<string, string>({
    maxSize: keptCharacters,
    sizeCalculation: (text) => text.length + 1,
    fetchMethod: async (id) => (await client.bodies([id])).get(id),
  })

  /** Reads the list. Returns whether it was cut at a limit. */
  async function readList(): Promise<boolean> {
    batches.clear()
    byUrl = new Map()
    const seen = new Set<string>()
    let answers = 0
    let empty = 0
    let isCut = false
    for await (const { pages: listed, next } of client.pages()) {
      const before = seen.size
      for (const page of listed) {
        if (seen.has(page.id)) continue
        isCut ||= seen.size === maxPages
        if (isCut) break
        seen.add(page.id)
        if (!byUrl.has(page.url)) byUrl.set(page.url, { ...page, place: byUrl.size })
      }
      answers += 1
      empty = seen.size > before ? 0 : empty + 1
      if (empty > maxEmptyAnswers) throw unreadable('The list of its pages does not end.')
      isCut ||= answers === maxAnswers && next !== null
      if (isCut) break
    }
    pages = [...byUrl.values()]
    byId = new Map(pages.map((page) => [page.id, page]))
    byTitle = new Map(pages.map((page) => [page.title, page]))
    return isCut
  }

  /** The etag of a page has its version and those of the pages that it includes: `123.7,456.2`. */
  function isUnchanged({ id }: Page, etag: string | null | undefined): boolean {
    if (!etag?.startsWith(`${id}.`)) return false
    return etag.split(',').every((part) => {
      const page = byId.get(part.slice(0, part.indexOf('.')))
      return page !== undefined && toVersionName(page) === part
    })
  }

  /** Fetches the bodies of changed pages. */
  async function loadBatch(first: number): Promise<Map<string, string>> {
    const next = pages.slice(first, first + client.edition.bodiesAtOnce)
    const known = await tools.known(next.map((page) => page.url))
    const changed = next.filter((page, at) => !isUnchanged(page, known[at]?.etag))
    return changed.length === 0 ? new Map() : client.bodies(changed.map(({ id }) => id))
  }

  async function loadBody({ id, place }: Page): Promise<string | null> {
    const { bodiesAtOnce } = client.edition
    if (bodiesAtOnce > 1) {
      const first = place - (place % bodiesAtOnce)
      const loading = batches.get(first) ?? loadBatch(first)
      batches.set(first, loading)
      loading.catch(() => batches.delete(first))
      const found = await loading
      const body = found.get(id)
      found.delete(id)
      if (body !== undefined) return body
    }
    return (await client.bodies([id])).get(id) ?? null
  }

  /** Reads included pages level by level. If there are too many, the lowest levels win. */
  async function readIncluded(page: Page, storage: string): Promise<Map<Page, string>> {
    const found = new Map<Page, string>()
    let room = maxIncludedLength
    let bodies = [storage]
    while (bodies.length > 0) {
      const lists = await Promise.all(
        bodies.filter(mayInclude).map((body) => tools.read<string[]>('includes', body)),
      )
      bodies = []
      for (const title of lists.flat()) {
        const other = byTitle.get(title)
        if (other === undefined || other === page || found.has(other) || found.size === maxIncluded) continue
        const body = await included.fetch(other.id)
        if (body === undefined || body.length > room) continue
        room -= body.length
        found.set(other, body)
        bodies.push(body)
      }
    }
    return found
  }

  async function readPage(page: Page): Promise<Reading> {
    const storage = await loadBody(page)
    if (storage === null) return { kind: 'gone', message: 'The server no longer has the page.' }
    const others = await readIncluded(page, storage)
    const stored: StoredPage = {
      ...{ title: page.title, storage, edition: client.edition.name },
      included: [...others].map(([{ title }, body]) => [title, body]),
    }
    return {
      ...{ kind: 'document', contentType: 'application/json', title: page.title, lastModified: null },
      body: new TextEncoder().encode(JSON.stringify(stored)),
      etag: [page, ...others.keys()].map(toVersionName).join(','),
    }
  }

  return {
    async *list() {
      client = await openClient({ url, spaceKey }, tools)
      const isCut = await readList()
      const message =
        'The space lists more than 100,000 pages, or takes more than 2,000 answers: the rest was left out.'
      yield { documents: pages, warnings: isCut ? [{ url, message }] : [] }
    },
    async fetch(address, known) {
      const page = byUrl.get(address)
      if (page === undefined) return { kind: 'gone', message: 'The space no longer has the page.' }
      if (isUnchanged(page, known.etag)) return { kind: 'unchanged' }
      try {
        return await readPage(page)
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error
        return { kind: 'failed', reason: 'connection', message: error.message, answered: false }
      }
    },
  }
}

const toVersionName = ({ id, version }: Page) => `${id}.${version}`

/** A quick test, so that most pages are not parsed for includes. */
const mayInclude = (storage: string) => /ac:name="(?:excerpt-)?include"/.test(storage)
