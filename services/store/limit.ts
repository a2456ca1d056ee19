/** Fixed windows and blocks for message limits, across all processes of the store. */
export interface LimitStore {
  /**
   * Increments the count of the key's window, which begins with the first hit and ends `windowMs` later. Returns the new count
   * and the end of the window. Times are milliseconds since 1970.
   */
  hit(key: string, windowMs: number, now: number): Promise<{ count: number; endsAt: number }>
  /** Decrements the count of the key's window, unless it has ended. */
  takeBack(key: string, now: number): Promise<void>
  /** Blocks the key until the time, unless it is already blocked longer. */
  block(key: string, until: number): Promise<void>
  /** End of the key's block; 0: not blocked. */
  blockedUntil(key: string): Promise<number>
  /** Lists at most `limit` blocks that end after the time, the latest end first. */
  blocks(after: number, limit: number): Promise<{ key: string; until: number }[]>
  /** Lists at most `limit` windows of keys with the prefix that end after the time, the highest count first. */
  busiest(
    prefix: string,
    after: number,
    limit: number,
  ): Promise<{ key: string; count: number; endsAt: number }[]>
  /** Deletes windows and blocks that have ended. */
  prune(now: number): Promise<void>
}
