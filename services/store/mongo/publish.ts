// Writes pages, in one or more batches of the journal: publishes them, records that they are unchanged, and removes them.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ObjectId } from 'mongodb'
import { DomainError } from '../../errors.ts'
import { indexed } from '../address.ts'
import { type PageContent, type PageStore, type Publication, type PublishResult, toFolder } from '../page.ts'
import { addressWrites, removedAddresses } from './address.ts'
import type { MongoDb } from './connection.ts'
import { type Body, type Journal, mayWrite, type ProjectRow, toSet, type Write } from './journal.ts'
import { isVisible, type PageRow, pageRows, remainingSources, removalWrites, sweptRows } from './page-row.ts'
import { findByIds, inChunks, toStored } from './row.ts'
import { readRun } from './run-row.ts'
import { sourcesThere } from './source.ts'

/** Maximum pages that a batch removes. */
const maxRemoved = 200

/** Maximum bytes of a compressed text. MongoDB documents have at most 16 MiB. */
const maxBodyBytes = 15 * 1024 * 1024

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Rejects with DomainError(invalid) if the text is too long for a document. */
export async function toBody(url: string, content: PageContent): Promise<Uint8Array> {
  const text = await compress(JSON.stringify(content), { level: 1 })
  if (text.length <= maxBodyBytes) return text
  throw new DomainError('invalid', `The text of ${url} is too long: packed, it takes more than 15 MiB.`)
}

export async function readBody(text: Uint8Array): Promise<PageContent> {
  return JSON.parse((await decompress(text)).toString())
}

/** State of a batch of publications. Each publication sees the effects of the previous ones. */
interface Publishing {
  project: ProjectRow
  sources: Set<string>
  rows: Map<string, PageRow>
  replaced: PageRow[]
  published: Map<string, PageRow>
}

async function beginPublishing(
  db: MongoDb,
  project: ProjectRow,
  publications: Publication[],
): Promise<Publishing> {
  const uuids = publications.map(({ page }) => page.uuid)
  const [rows, sources] = await Promise.all([findByIds(pageRows(db), uuids), sourcesThere(db, project)])
  const byUuid = new Map(rows.map((row) => [row._id, row]))
  return { project, sources, rows: byUuid, replaced: [], published: new Map() }
}

/** The compare-and-set: replaces the row unless it was fetched later. */
function publishOne(publishing: Publishing, { page }: Publication, body: string): PublishResult {
  const { project, rows, replaced, published } = publishing
  const before = rows.get(page.uuid)
  const current = before?.state === 'current' ? before : null
  if (current !== null && isVisible(current, project)) {
    const { fetchedAt, version } = current
    if (version === page.version) return 'published'
    if (fetchedAt > page.fetchedAt || (fetchedAt === page.fetchedAt && version > page.version)) return 'stale'
  }
  const row: PageRow = {
    ...toStored(page),
    folder: toFolder(page.url),
    project: project._id,
    sources: joinSources(current, page.sources, publishing),
    pinned: page.pinned || (current?.pinned ?? false),
    heldBy: current?.heldBy ?? null,
    state: 'current',
    body,
    seq: before?.seq ?? 0,
  }
  if (current !== null) replaced.push(current)
  rows.set(page.uuid, row)
  published.set(page.uuid, row)
  return 'published'
}

/** Joins the page's sources and those that list it, without deleted ones. */
function joinSources(
  page: PageRow | null,
  listing: string[],
  { project, sources }: Pick<Publishing, 'project' | 'sources'>,
): string[] {
  const listed = listing.filter((source) => sources.has(source))
  return [...new Set([...(page === null ? [] : remainingSources(page, project)), ...listed])].toSorted()
}

/** Writes pages first and deletes old texts last: see removalWrites. */
function publicationWrites({ published, replaced }: Publishing): Write[] {
  const rows = [...published.values()]
  return [
    { to: 'pages', insert: rows.filter(({ seq }) => seq === 0) },
    { to: 'pages', set: rows.flatMap(({ seq, ...row }) => (seq === 0 ? [] : [row])) },
    { to: 'swept_versions', insert: sweptRows(replaced) },
    { oldBodies: replaced.map(({ _id }) => _id) },
  ]
}

function indexedAddresses(project: string, rows: Iterable<PageRow>): Write[] {
  const visits = [...rows].map(({ url, sources }) => ({ url, ...indexed, sources }))
  return addressWrites(project, visits)
}

type Methods = 'publish' | 'seen' | 'remove'

export function createPublishing(db: MongoDb, journal: Journal): Pick<PageStore, Methods> {
  async function currentPages(project: string, uuids: string[]): Promise<PageRow[]> {
    const rows = await findByIds(pageRows(db), uuids)
    return rows.filter((row) => row.project === project && row.state === 'current')
  }

  return {
    publish: async (uuid, fence, publications) => {
      const fenced = publications.map((): PublishResult => 'fenced')
      const texts = await Promise.all(publications.map(({ page, content }) => toBody(page.url, content)))
      const results = await journal.write(uuid, async (project) => {
        if (!mayWrite(project, fence)) return { result: fenced }
        const publishing = await beginPublishing(db, project, publications)
        const bodies = publications.map(
          ({ page }, at): Body => ({
            _id: new ObjectId().toHexString(),
            project: uuid,
            page: page.uuid,
            text: texts[at]!,
            number: project.sequence + 1,
          }),
        )
        const result = publications.map((each, at) => publishOne(publishing, each, bodies[at]!._id))
        const { published } = publishing
        const [first] = published.values()
        if (first === undefined) return { result }
        return {
          result,
          writes: [...publicationWrites(publishing), ...indexedAddresses(uuid, published.values())],
          project: { indexedAt: project.indexedAt ?? first.fetchedAt },
          bodies: bodies.filter((body) => published.get(body.page)?.body === body._id),
        }
      })
      return results ?? fenced
    },
    seen: async (uuid, fence, pages) => {
      await journal.write(uuid, async (project) => {
        if (!mayWrite(project, fence)) return { result: undefined }
        const byUuid = new Map(pages.map((page) => [page.uuid, page]))
        const [rows, there] = await Promise.all([
          currentPages(uuid, [...byUuid.keys()]),
          sourcesThere(db, project),
        ])
        const seen = rows
          .filter((row) => isVisible(row, project))
          .map((row) => {
            const page = byUuid.get(row._id)!
            const sources = joinSources(row, page.sources, { project, sources: there })
            return {
              ...row,
              sources,
              fetchedAt: page.fetchedAt > row.fetchedAt ? page.fetchedAt : row.fetchedAt,
            }
          })
        const changed = seen.map(({ _id, sources, fetchedAt }) => ({ _id, sources, fetchedAt }))
        return { result: undefined, writes: [...toSet('pages', changed), ...indexedAddresses(uuid, seen)] }
      })
    },
    remove: async (uuid, fence, uuids) => {
      let removed = 0
      await inChunks(uuids, maxRemoved, async (chunk) => {
        const count = await journal.write(uuid, async (project) => {
          if (!mayWrite(project, fence)) return { result: null }
          const rows = (await currentPages(uuid, chunk)).filter((row) => isVisible(row, project))
          if (rows.length === 0) return { result: 0 }
          const writes = [...removalWrites(rows), ...(await removedAddresses(db, project, rows))]
          const run = fence === null ? null : await readRun(db, project.liveRun)
          if (run !== null) {
            const pages = { ...run.pages, removed: run.pages.removed + rows.length }
            writes.push({ to: 'runs', set: [{ _id: run._id, pages }] })
          }
          return { result: rows.length, writes }
        })
        removed += count ?? 0
        return count !== null
      })
      return removed
    },
  }
}
