// Published pages with their text, and the versions to sweep.
import type { Section } from '../../crawler/extract/page.ts'
import type { SourceType } from './source.ts'

export interface Page {
  uuid: string
  team: string
  project: string
  /** Normalised; one page a URL and project. */
  url: string
  /** Sources that list it, as the last completed run left them, and those of a run in progress; sorted. */
  sources: string[]
  /** Added by recrawl: stays although no source lists it. */
  pinned: boolean
  /** The version that readers see; grows with every publication. */
  version: number
  /** When the published content was asked for, with milliseconds: the later one wins. */
  fetchedAt: string
  /** SHA-256 of the extracted content, hex. */
  contentHash: string
  /** Versions of extractor and analyzer that made the units, e.g. `x1.a1`. */
  pipeline: string
  etag: string | null
  lastModified: string | null
  title: string
  language: string | null
  docVersion: string | null
  sourceType: SourceType
  /** Set while a removal is held (more than half would have gone); the run that held it. */
  heldBy: string | null
}

/** `https://docs.example.org/guide/` of `https://docs.example.org/guide/install.html`. */
export const toFolder = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1)

/** The extracted text of a page: enough to index it again, and to follow its links when it answers 304. */
export interface PageContent {
  title: string
  language: string | null
  docVersion: string | null
  boost: number
  keywords: string[]
  nofollow: boolean
  sections: Section[]
  links: string[]
  /** Place of a link in `links` → anchors that links to it name, parted by spaces; `own`: those that the page itself lacks. */
  fragments?: Record<string, string>
  /** What links to the page may name, see services/page/anchors.ts; left out of what is no HTML. */
  anchors?: string
}

export interface Publication {
  /**
   * `page.version` is unique among all versions ever made of the page and greater than `replaces`: two writers of the
   * same page never share one, so their units never mix. The caller makes it from the clock.
   */
  page: Page
  /** The version that it takes the place of; 0 where there is no page yet. What the compare-and-set compares. */
  replaces: number
  content: PageContent
}

export type PublishResult =
  /** Readers see it. */
  | 'published'
  /** The fence is not the project's any more, or the project is gone. */
  | 'fenced'
  /** The stored page was fetched later, or its version is not `replaces`. */
  | 'stale'

export interface PageVersion {
  page: string
  version: number
}

export interface PageStore {
  /**
   * Makes each the current version of its page, by one compare-and-set a page: the fence (null: a recrawl, which has
   * none) is the project's, the stored version is `replaces`, the stored fetchedAt is not later. The version before
   * is queued for the sweep. Sources are joined with the stored ones, without those that are gone from the project;
   * pinned stays once set; heldBy stays as `hold` left it. Sets the project's indexedAt to the fetchedAt of its first
   * page. A publication that stands already is `published` again. Its address is indexed from then on. Answers
   * in the order given.
   */
  publish(project: string, fence: number | null, pages: Publication[]): Promise<PublishResult[]>
  /**
   * Notes that pages were seen unchanged: adds the sources, and where fetchedAt is not before the stored one, sets it
   * and the validators that are not null. Their addresses are indexed. Pages that do not exist are skipped. Nothing
   * under a void fence.
   */
  seen(
    project: string,
    fence: number | null,
    pages: Pick<Page, 'uuid' | 'sources' | 'fetchedAt' | 'etag' | 'lastModified'>[],
  ): Promise<void>
  /** In the order of `urls`, null where there is no page. */
  byUrls(project: string, urls: string[]): Promise<(Page | null)[]>
  /** In the order of `uuids`, null where there is no page. */
  byUuids(uuids: string[]): Promise<(Page | null)[]>
  /** Pages with one of these content hashes, by uuid. */
  byContentHashes(project: string, hashes: string[]): Promise<Page[]>
  /** Current versions of the pages; pages that do not exist are left out. What search checks its hits with. */
  current(uuids: string[]): Promise<Map<string, number>>
  /** The text of the current version. */
  content(uuid: string): Promise<PageContent | null>
  /** Pinned pages for whose URL the run, still live, has no listing: they are visited for their own sake. By uuid. */
  pinnedUnlisted(run: string, limit: number): Promise<Page[]>
  count(project: string): Promise<number>
  /** Languages of the pages, each once, sorted; pages without one add none. */
  languages(project: string): Promise<string[]>
  /** The first pages of a folder, a URL that ends in a slash, without those of folders in it. By URL. */
  inFolder(project: string, folder: string, limit: number): Promise<Page[]>
  /** The first addresses of pages that begin with the prefix. By URL. */
  urls(project: string, urlPrefix: string, limit: number): Promise<string[]>
  /** All pages by uuid, from after `after`, for checks, rebuilds and the vocabulary. */
  scan(project: string, after: string | null, limit: number): Promise<Page[]>
  /**
   * The pages that the run, live and at its end, leaves without a place: not pinned, and no listing for their URL (by a
   * source that is still there and did not decline it, see Settlement) has the outcome added, updated, unchanged or
   * failed; a pinned one only when its outcome is `gone` or `excluded`. Pages of one of the sources `unreadable` (whose
   * list could not be read) are left out. By uuid. None when the run has ended.
   */
  unlisted(run: string, unreadable: string[]): Promise<Page[]>
  /** Marks exactly these pages of the project as held by the run, and no other. Under a live fence. */
  hold(project: string, fence: number, run: string, uuids: string[]): Promise<void>
  /**
   * Takes pages out under a live fence (null: a recrawl) and queues their units for the sweep; answers how many went,
   * and under a fence adds them to the `removed` of the live run.
   */
  remove(project: string, fence: number | null, uuids: string[]): Promise<number>
  /**
   * Sets each page's sources to those that list it in the run and did not decline it, but for `unreadable` ones, which
   * stay. Pages that the run holds keep their set. Under a live fence.
   */
  assignSources(run: string, fence: number, unreadable: string[]): Promise<void>
  /** Versions that no reader sees any more, oldest first. */
  swept(project: string, limit: number): Promise<PageVersion[]>
  /** Takes versions off that queue, once their units are out of the index. */
  forget(project: string, versions: PageVersion[]): Promise<void>
}
