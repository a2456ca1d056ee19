/** Fixed windows of messages and blocks of addresses, over all processes on the store. */
export interface LimitStore {
  /**
   * Counts one in the window of `key`, which begins with the first and ends `windowMs` later; answers the count, this
   * one included, and when the window ends. Times are milliseconds since 1970, given by the caller.
   */
  hit(key: string, windowMs: number, now: number): Promise<{ count: number; endsAt: number }>
  /** Takes one back from the window of `key`, where it has not ended. */
  takeBack(key: string, now: number): Promise<void>
  /** Blocks the key until the time, unless it is blocked longer already. */
  block(key: string, until: number): Promise<void>
  /** Until when the key is blocked; 0 when it is not. */
  blockedUntil(key: string): Promise<number>
  /** Blocks that end after the time, at most `limit`, the latest end first. */
  blocks(after: number, limit: number): Promise<{ key: string; until: number }[]>
  /** Windows of keys that begin with `prefix` and end after the time, at most `limit`, the highest count first. */
  busiest(
    prefix: string,
    after: number,
    limit: number,
  ): Promise<{ key: string; count: number; endsAt: number }[]>
  /** Forgets windows and blocks that ended before. */
  prune(now: number): Promise<void>
}
