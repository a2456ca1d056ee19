// Published pages with their texts, and the queue of versions to sweep from the index.
import type { Section } from '../../crawler/extract/page.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'

export interface Page {
  uuid: string
  project: string
  /** Normalized. Unique within the project. */
  url: string
  /** Sources that list the page, in the last completed run or the one in progress; sorted. */
  sources: string[]
  /** Whether a recrawl added the page. It then stays even if no source lists it. */
  pinned: boolean
  /** The current version. Increases with every publication. */
  version: number
  /** Time of the request for the content, with milliseconds. Later content wins. */
  fetchedAt: string
  /** SHA-256 of the extracted content, in hex. */
  contentHash: string
  /** Versions of extractor and analyzer, such as `x1.a1`. */
  pipeline: string
  etag: string | null
  lastModified: string | null
  title: string
  language: string | null
  docVersion: string | null
  sourceType: SourceTypeName
  /** The run that holds the removal of the page, because it would have removed more than half of the pages; else null. */
  heldBy: string | null
}

/** `https://docs.example.org/guide/install.html` → `https://docs.example.org/guide/` */
export const toFolder = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1)

/** The extracted content of a page, which allows indexing it again, and following its links after a 304. */
export interface PageContent {
  title: string
  language: string | null
  docVersion: string | null
  boost: number
  keywords: string[]
  sections: Section[]
  links: string[]
  /** Anchors of the page's links, separated by spaces, by index in `links`. `own`: missing anchors of links within the page. */
  fragments?: Record<string, string>
  /** Anchors of the page, see services/page/anchors.ts. Absent unless it is HTML. */
  anchors?: string
}

export interface Publication {
  /**
   * `page.version` is unique among all versions of the page, so that the units of concurrent writers never mix. The caller derives
   * it from the clock.
   */
  page: Page
  content: PageContent
}

export type PublishResult =
  /** The publication is the current version. */
  | 'published'
  /** The fence is no longer the project's, or the project is deleted. */
  | 'fenced'
  /** The stored page was fetched later. */
  | 'stale'

export interface PageVersion {
  page: string
  version: number
}

export interface PageStore {
  /**
   * Makes each publication the current version of its page, by a compare-and-set per page: the fence must be the project's
   * (null: a recrawl), and the stored page must not be fetched later, nor at the same time with a greater version. Queues the
   * previous version for the sweep. Joins the sources with the stored ones, without deleted ones. Never clears pinned, and does not
   * change heldBy. Sets the project's indexedAt to the fetchedAt of its first page. Marks the addresses as indexed. Repeating
   * a publication returns `published` again. Returns the results in the given
   * order.
   */
  publish(project: string, fence: number | null, pages: Publication[]): Promise<PublishResult[]>
  /**
   * Records that pages are unchanged: adds the sources, and sets fetchedAt unless the stored one is later. Marks the addresses as
   * indexed. Skips pages that do not exist. Does nothing if the fence is not valid.
   */
  seen(
    project: string,
    fence: number | null,
    pages: Pick<Page, 'uuid' | 'sources' | 'fetchedAt'>[],
  ): Promise<void>
  /** Pages in the order of `urls`; null for missing pages. */
  byUrls(project: string, urls: string[]): Promise<(Page | null)[]>
  /** Pages in the order of `uuids`; null for missing pages. */
  byUuids(uuids: string[]): Promise<(Page | null)[]>
  /** Pages with one of the content hashes, sorted by uuid. */
  byContentHashes(project: string, hashes: string[]): Promise<Page[]>
  /** Current versions by page, without missing pages. Search uses it to filter hits. */
  current(uuids: string[]): Promise<Map<string, number>>
  /** The text of the current version. */
  content(uuid: string): Promise<PageContent | null>
  /** Pinned pages that no source lists in the live run, so that it visits them separately. Sorted by uuid. */
  pinnedUnlisted(run: string, limit: number): Promise<Page[]>
  count(project: string): Promise<number>
  /** Distinct languages of the pages, sorted, without null. */
  languages(project: string): Promise<string[]>
  /** The first pages of a folder, without subfolders, sorted by URL. `folder`: a URL that ends in a slash. */
  inFolder(project: string, folder: string, limit: number): Promise<Page[]>
  /** All pages after the uuid `after`, sorted by uuid, for checks, rebuilds and the vocabulary. */
  scan(project: string, after: string | null, limit: number): Promise<Page[]>
  /**
   * Pages to remove at the end of the live run, sorted by uuid: those that no existing source lists with the outcome added,
   * updated, unchanged or failed, without declining it (see Settlement). A pinned page only if its reason is `gone` or
   * `excluded`. Omits pages of sources in `unreadable`, whose listings could not be read. Empty if the run has
   * ended.
   */
  unlisted(run: string, unreadable: string[]): Promise<Page[]>
  /** Marks these pages as held by the run, and unmarks all others of the project. Does nothing without a live fence. */
  hold(run: string, fence: number, uuids: string[]): Promise<void>
  /**
   * Removes pages, with a live fence or null for a recrawl, and queues their units for the sweep. Returns the number removed.
   * With a fence, adds it to the `removed` of the live run.
   */
  remove(project: string, fence: number | null, uuids: string[]): Promise<number>
  /**
   * Sets each page's sources to those that list it in the run and did not decline it, and keeps `unreadable` ones. Skips pages
   * held by the run. Does nothing without a live fence.
   */
  assignSources(run: string, fence: number, unreadable: string[]): Promise<void>
  /** The queue of versions to sweep, oldest first. */
  swept(project: string, limit: number): Promise<PageVersion[]>
  /** Removes versions from the queue, once their units are removed from the index. */
  forget(project: string, versions: PageVersion[]): Promise<void>
}
