// Publishing pages, and noting that they are unchanged, each a batch of the journal.
import type { Page, PageStore, Publication, PublishResult } from '../page.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type Journal, mayWrite, type OpenProject } from './journal.ts'
import type { Body, Write } from './journal-batch.ts'
import { toText } from './page-content.ts'
import {
  createPageTally,
  isVisible,
  type PageRow,
  type PageTally,
  pageRows,
  stayingSources,
} from './page-row.ts'
import { sweptRows } from './page-sweep.ts'
import { toStored } from './row.ts'
import { sourcesThere } from './source-row.ts'

/** What stands as the publications of a batch go by; each sees what those before it left. */
interface CurrentPages {
  byUuid: Map<string, PageRow>
  byUrl: Map<string, PageRow>
}

/** What a batch of publications comes to. */
interface Publishing {
  project: OpenProject
  /** Sources that are there. */
  sources: Set<string>
  current: CurrentPages
  /** Pages that have a document, also if it is one that nobody sees. */
  known: Set<string>
  tally: PageTally
  replaced: PageRow[]
  published: Map<string, PageRow>
  bodies: Map<string, Body>
}

/**
 * The compare-and-set: whether the publication may take the place of what stands.
 *
 *   nothing at its URL, replaces 0 → yes            version 10 stands, replaces 10, not fetched later → yes
 *   something at its URL, replaces 0 → no           version 20 stands, replaces 10 → no
 */
function mayReplace(
  { page, replaces }: Publication,
  project: OpenProject,
  { byUuid, byUrl }: CurrentPages,
): boolean {
  const row = byUuid.get(page.uuid)
  if (row !== undefined && row.project !== project.uuid) return false
  if (row === undefined || !isVisible(row, project.leaving)) return replaces === 0 && !byUrl.has(page.url)
  return row.url === page.url && row.version === replaces && row.fetchedAt <= page.fetchedAt
}

function publishOne(publishing: Publishing, publication: Publication, body: Body): PublishResult {
  const { project, sources, current, tally } = publishing
  const { page } = publication
  const before = current.byUuid.get(page.uuid)
  const there = before?.state === 'current' ? before : null
  if (!mayReplace(publication, project, current))
    return there?.version === page.version ? 'published' : 'stale'
  const joined = new Set([
    ...(there === null ? [] : stayingSources(there, project.leaving)),
    ...page.sources.filter((source) => sources.has(source)),
  ])
  const row: PageRow = {
    ...toStored(page),
    project: project.uuid,
    sources: [...joined].toSorted(),
    pinned: page.pinned || (there?.pinned ?? false),
    heldBy: there?.heldBy ?? null,
    state: 'current',
    body: body._id,
    seq: before?.seq ?? 0,
  }
  tally.change(there?.sources ?? null, row.sources)
  if (there !== null) publishing.replaced.push(there)
  current.byUuid.set(page.uuid, row)
  current.byUrl.set(page.url, row)
  publishing.published.set(page.uuid, row)
  publishing.bodies.set(body._id, body)
  return 'published'
}

async function readCurrent(db: MongoDb, project: OpenProject, pages: Page[]): Promise<CurrentPages> {
  const [byUuid, byUrl] = await Promise.all([
    pageRows(db)
      .find({ _id: { $in: pages.map((page) => page.uuid) } })
      .toArray(),
    pageRows(db)
      .find({ project: project.uuid, url: { $in: pages.map((page) => page.url) } })
      .toArray(),
  ])
  return {
    byUuid: new Map(byUuid.map((row) => [row._id, row])),
    byUrl: new Map(byUrl.filter((row) => isVisible(row, project.leaving)).map((row) => [row.url, row])),
  }
}

/** Pages first: what is swept must not be current any more; the text that was read until then goes last. */
function toWrites({ project, known, published, replaced }: Publishing): Write[] {
  return [
    {
      to: 'pages',
      set: [...published.values()].map(({ seq: _, ...row }) =>
        known.has(row._id) ? row : { _id: row._id, state: row.state },
      ),
    },
    { to: 'swept_versions', insert: sweptRows(project.uuid, replaced) },
    { to: 'page_bodies', erase: replaced.flatMap((row) => row.body ?? []) },
  ]
}

export function createPublishing(db: MongoDb, journal: Journal): Pick<PageStore, 'publish' | 'seen'> {
  return {
    publish: async (uuid, fence, publications) => {
      const fenced = publications.map((): PublishResult => 'fenced')
      const texts = await Promise.all(publications.map(({ page, content }) => toText(page.url, content)))
      const results = await journal.write(uuid, async (project, batch) => {
        if (!mayWrite(project, fence)) return { result: fenced }
        const pages = publications.map(({ page }) => page)
        const current = await readCurrent(db, project, pages)
        const publishing: Publishing = {
          project,
          sources: await sourcesThere(db, project),
          current,
          known: new Set(current.byUuid.keys()),
          tally: createPageTally(project),
          replaced: [],
          published: new Map(),
          bodies: new Map(),
        }
        const result = publications.map((publication, at) =>
          publishOne(publishing, publication, {
            _id: `${batch} ${at}`,
            project: uuid,
            page: publication.page.uuid,
            text: texts[at]!,
          }),
        )
        if (publishing.published.size === 0) return { result }
        const [first] = publishing.published.values()
        return {
          result,
          writes: toWrites(publishing),
          project: { ...publishing.tally.fields(), indexedAt: project.indexedAt ?? first!.fetchedAt },
          drafts: [...publishing.published.values()]
            .filter((row) => !publishing.known.has(row._id))
            .map((row) => ({ ...row, state: 'gone' })),
          bodies: [...publishing.bodies.values()],
        }
      })
      return results ?? fenced
    },
    seen: async (uuid, fence, pages) => {
      await journal.write(uuid, async (project) => {
        if (!mayWrite(project, fence)) return { result: undefined }
        const [rows, sources] = await Promise.all([
          pageRows(db)
            .find({ _id: { $in: pages.map((page) => page.uuid) } })
            .toArray(),
          sourcesThere(db, project),
        ])
        const current = new Map(rows.map((row) => [row._id, row]))
        const tally = createPageTally(project)
        const changed = new Map<string, MongoRow>()
        for (const page of pages) {
          const row = current.get(page.uuid)
          if (row?.project !== uuid || !isVisible(row, project.leaving)) continue
          const after = withSeen(row, page, [
            ...stayingSources(row, project.leaving),
            ...page.sources.filter((source) => sources.has(source)),
          ])
          tally.change(row.sources, after.sources)
          current.set(row._id, { ...row, ...after })
          changed.set(row._id, { _id: row._id, ...after })
        }
        if (changed.size === 0) return { result: undefined }
        return {
          result: undefined,
          writes: [{ to: 'pages', set: [...changed.values()] }],
          project: tally.fields(),
        }
      })
    },
  }
}

type Seen = Parameters<PageStore['seen']>[2][number]

/** The fields that change: time and validators go forward only. */
function withSeen(row: PageRow, page: Seen, sources: string[]) {
  const later = row.fetchedAt <= page.fetchedAt
  return {
    sources: [...new Set(sources)].toSorted(),
    fetchedAt: later ? page.fetchedAt : row.fetchedAt,
    etag: (later ? page.etag : null) ?? row.etag,
    lastModified: (later ? page.lastModified : null) ?? row.lastModified,
  }
}
