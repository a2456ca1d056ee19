// The steps that the crawl plan is made of. What they take and give is small (ids and counts, never page text), so
// that a durable runner can record it. Each step can be repeated: what it did before is not done twice.

/** What a source's start looked like to the run. */
export interface SeededSource {
  uuid: string
  /** False when the list of its pages could not be read: its pages are then left alone. */
  readable: boolean
}

export interface CrawlSteps {
  /** Marks the run as running and answers the sources to crawl, oldest first. */
  begin(): Promise<{ sources: string[] }>
  /** Lists where the source starts: its address, or the pages of its sitemap. */
  seed(source: string): Promise<SeededSource>
  /** Walks up to about `limit` listings of the source; answers how many. 0: the source has none left. */
  walk(source: string, limit: number): Promise<number>
  /**
   * Decides on the pages that named another one as canonical, when the source has nothing left to walk: the outcome of that
   * one is known now. Answers how many are to be walked once more, because it is not in the index.
   */
  resolveCanonicals(source: string): Promise<number>
  finishSource(source: SeededSource): Promise<void>
  /** Makes up to `limit` deferred outcomes final; answers how many there were. */
  settleDeferred(limit: number): Promise<number>
  /** Takes out what the run found gone, or holds it when that would be more than half. */
  removeGone(unreadable: string[]): Promise<void>
  /** Takes up to `limit` versions that no reader sees out of the index; answers how many. */
  sweep(limit: number): Promise<number>
  /** Makes what was written quick to search, and ends the run as completed. */
  complete(): Promise<void>
}
